# SPDX-License-Identifier: Apache-2.0
#
# The commands of the tool, and what each needs. OPTIONAL: modules that add abilities if they are built.
include_guard()

perdure_command(run USES core LIBRARIES cli11)
perdure_command(offset USES core LIBRARIES cli11)
perdure_command(tune USES core LIBRARIES cli11)
perdure_command(sim USES sim LIBRARIES cli11 tomlplusplus)
perdure_command(explain USES core OPTIONAL http sql dynamodb cosmos LIBRARIES cli11)
perdure_command(chaos USES chaos sim LIBRARIES cli11 tomlplusplus)
perdure_command(gateway USES cosmos_gateway LIBRARIES cli11)
perdure_command(get USES http LIBRARIES cli11)
perdure_command(load USES databases telemetry OPTIONAL scrape dynamodb cosmos LIBRARIES cli11 simdjson zlib xxhash)
perdure_command(doctor USES core LIBRARIES cli11 simdjson zlib)
