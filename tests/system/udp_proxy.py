"""A UDP proxy between clients and the agent, in a thread of this process: it records, and can spoil."""
import selectors
import socket
import threading

from trace import now


class UdpProxy:
    def __init__(self, to):
        self.to = to
        self.front = self.opened()
        self.port = self.front.getsockname()[1]
        self.ways = {}  # client's address: socket towards the agent
        self.recorded = []  # datagrams towards the agent
        self.answers = []  # those from it
        self.last_forwarded = 0
        self.also = None  # called with each datagram towards the agent: more datagrams to send first
        self.cut = threading.Event()
        self.ended = threading.Event()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.front, selectors.EVENT_READ, None)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @staticmethod
    def opened():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind(("127.0.0.1", 0))
        made.setblocking(False)
        return made

    def run(self):
        while not self.ended.is_set():
            for key, _ in self.selector.select(0.05):
                try:
                    data, sender = key.fileobj.recvfrom(65536)
                except (BlockingIOError, ConnectionRefusedError):
                    continue
                if self.cut.is_set():
                    continue
                if key.data is None:
                    self.there(data, sender)
                else:
                    self.answers.append(data)
                    self.front.sendto(data, key.data)

    def there(self, data, sender):
        way = self.ways.get(sender)
        if way is None:
            way = self.ways[sender] = self.opened()
            self.selector.register(way, selectors.EVENT_READ, sender)
        self.recorded.append(data)
        for more in self.also(data) if self.also else ():
            way.sendto(more, self.to)
        self.last_forwarded = now()
        way.sendto(data, self.to)

    def replay(self, datagrams):
        """As from the client itself: out of the same socket."""
        way = next(reversed(self.ways.values()))
        for datagram in datagrams:
            way.sendto(datagram, self.to)

    def close(self):
        self.ended.set()
        self.thread.join()
        for made in [self.front, *self.ways.values()]:
            made.close()
        self.selector.close()
