#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does any secret leave its place? The rows of attack.py that put one where a secret can stand, alone.

    canary.py [--short] [--only WORD]
"""

import attack

if __name__ == "__main__":
    attack.main(attack.SECRETS)
