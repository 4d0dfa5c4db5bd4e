"""What a controller received and did, read out of cy-sim's trace (sim/controllers/README.md).

Frames are taken apart here anew, from the bytes: the tests must not believe the simulator's codec.
Times are ns of CLOCK_BOOTTIME, the clock that `now()` reads.
"""
import json
import time
from collections import namedtuple

PULSE, OPEN, CLOSE, ENABLE, SONAR, VEL, RVEL, STOP, E_STOP = 0, 1, 2, 4, 28, 11, 21, 29, 55
MS = 1_000_000

# `value` is None without an argument.
Order = namedtuple("Order", "t id value")


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def checksum(payload):
    total = 0
    for i in range(0, len(payload) - 1, 2):
        total = (total + (payload[i] << 8) + payload[i + 1]) & 0xFFFF
    return total ^ payload[-1] if len(payload) % 2 else total


def argument(payload):
    if len(payload) < 4:
        return None
    magnitude = payload[2] | payload[3] << 8
    if payload[1] == 0x3B:
        return magnitude
    if payload[1] == 0x1B:
        return -magnitude
    return bytes(payload[3:])


class Framer:
    """FA FB, count, payload, two bytes of checksum; the count takes in payload and checksum."""

    def __init__(self):
        self.held = bytearray()

    def feed(self, data):
        self.held += data
        while True:
            at = self.held.find(b"\xfa\xfb")
            if at < 0 or len(self.held) < at + 3:
                return
            size = self.held[at + 2]
            frame = self.held[at + 3:at + 3 + size]
            if len(frame) < size:
                return
            del self.held[:at + 3 + size]
            payload = bytes(frame[:-2])
            if payload and checksum(payload) == frame[-2] << 8 | frame[-1]:
                yield payload


class Trace:
    """Reads on whenever it is asked."""

    def __init__(self, path):
        self.path = path
        self.at = 0
        self.rest = ""
        self.framer = Framer()
        self.events = []  # dictionaries as they stand in the file
        self.orders = []

    def read(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                file.seek(self.at)
                text = self.rest + file.read()
                self.at = file.tell()
        except FileNotFoundError:
            return self
        lines = text.split("\n")
        self.rest = lines.pop()
        for line in lines:
            event = json.loads(line)
            self.events.append(event)
            if event["ev"] == "line":
                self.framer = Framer()
            if event["ev"] == "in":
                for payload in self.framer.feed(bytes.fromhex(event["hex"])):
                    self.orders.append(Order(event["t"], payload[0], argument(payload)))
        return self

    def changes(self, what, to=None, after=0):
        return [e for e in self.read().events
                if e["ev"] == what and e["t"] > after and (to is None or e["to"] == to)]

    def pushes(self, after=0):
        """Orders that make it move or keep it moving."""
        return [o for o in self.read().orders if o.t > after and o.id in (VEL, RVEL) and o.value]

    def stops(self, after=0):
        return [o for o in self.read().orders
                if o.t > after and (o.id in (STOP, E_STOP) or (o.id in (ENABLE, VEL) and o.value == 0))]

    def all(self, after=0):
        return [o for o in self.read().orders if o.t > after]
