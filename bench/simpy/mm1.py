# SPDX-License-Identifier: Apache-2.0
"""The same M/M/1 queue at 80 % for SimPy 2.3 (Debian's python3-simpy): `mm1.py CUSTOMERS`."""

import json
import random
import sys

from SimPy.Simulation import Process, Resource, Simulation, hold, release, request

CUSTOMERS = int(float(sys.argv[1]))
world = Simulation()
world.initialize()
server = Resource(capacity=1, sim=world)
stayed = [0.0]
random.seed(1)


class Customer(Process):
    def visit(self):
        came = self.sim.now()
        yield request, self, server
        yield hold, self, random.expovariate(1.0)
        yield release, self, server
        stayed[0] += self.sim.now() - came


class Source(Process):
    def send(self):
        for _ in range(CUSTOMERS):
            customer = Customer(sim=self.sim)
            self.sim.activate(customer, customer.visit())
            yield hold, self, random.expovariate(0.8)


source = Source(sim=world)
world.activate(source, source.send())
world.simulate(until=1e12)
print(json.dumps({"calls": CUSTOMERS, "mean_ms": stayed[0] / CUSTOMERS}))
