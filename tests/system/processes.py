"""The programs as real processes: each test has its own folder, keys, ports and children.

A child is signalled by its own pid only and dies with this process, whatever ends it.
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from trace import MS, Trace, now

HERE = os.path.dirname(os.path.abspath(__file__))
LIFETIME = 300 * MS  # of a set-point
GRACE = 50 * MS  # what stopping may take on top
# Sanitizers slow everything down, and cannot lock their shadow memory.
SANITIZED = bool(os.environ.get("CY_SANITIZE"))


def prepare(priority):
    """In the child: it dies with its parent, and where it is allowed no other load of the machine
    slows it down. The simulator stands for hardware, which is never late for want of a processor; the
    station is another machine. The agent asks for its priority itself."""
    def act():
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            os.sched_setscheduler(0, os.SCHED_RR if priority else os.SCHED_OTHER, os.sched_param(priority))
        except PermissionError:
            pass  # slower, and judged all the same
    return act


PRIORITY = {"cy-sim": 30, "cy": 15}


def binary(name):
    return os.path.join(os.path.abspath(os.environ["CY_BIN"]), name)


class Process:
    def __init__(self, folder, label, arguments, stdin=False, priority=0):
        self.label = label
        self.log = os.path.join(folder, label + ".err")
        self.out = os.path.join(folder, label + ".out")
        with open(self.log, "w") as err, open(self.out, "w") as out:
            self.child = subprocess.Popen(
                arguments, cwd=folder, stdout=out, stderr=err,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, preexec_fn=prepare(priority))
        self.pid = self.child.pid

    def signal(self, number):
        """Gives the moment just before the signal."""
        at = now()
        os.kill(self.pid, number)
        return at

    def kill(self):
        at = self.signal(signal.SIGKILL)
        self.child.wait()
        return at

    def freeze(self):
        return self.signal(signal.SIGSTOP)

    def thaw(self):
        return self.signal(signal.SIGCONT)

    def terminate(self):
        return self.signal(signal.SIGTERM)

    def running(self):
        return self.child.poll() is None

    def wait(self, seconds):
        return self.child.wait(seconds)

    def tell(self, line):
        self.child.stdin.write((line + "\n").encode())
        self.child.stdin.flush()

    def output(self):
        with open(self.out, encoding="utf-8") as file:
            return file.read()

    def errors(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def rows(self):
        """Whole lines of JSON so far."""
        return [json.loads(line) for line in self.output().split("\n")[:-1] if line.startswith("{")]

    def close(self):
        if self.running():
            self.child.kill()
        self.child.wait()
        if self.child.stdin:
            self.child.stdin.close()


class SystemTest(unittest.TestCase):
    """A folder with an agent's and a manager's key; starts programs; ends them all."""

    robot = "p3dx-sh"

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cy-system-")
        self.processes = []
        self.counts = {}
        self.sim_port = 0
        self.agent_port = 0
        self.prefix = {}  # by program: what its command line begins with
        self.cy("keygen", "agent.key")
        self.new_station("station", "manager", "desk")

    def tearDown(self):
        result = self._outcome.result
        failed = any(test is self for test, _ in result.failures + result.errors)
        for process in reversed(self.processes):
            process.close()
        if failed:
            for process in self.processes:
                print(f"---- {process.label}\n" + "".join(process.errors()[-2500:]) + process.output()[-800:],
                      file=sys.stderr)
        if failed and os.environ.get("CY_KEEP"):
            print("kept: " + self.folder, file=sys.stderr)
        else:
            shutil.rmtree(self.folder)

    # ---- starting things ----------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, program, *arguments, label=None, stdin=False):
        label = label or program
        count = self.counts[label] = self.counts.get(label, 0) + 1
        process = Process(self.folder, label if count == 1 else f"{label}-{count}",
                          self.prefix.get(program, []) + [binary(program), *map(str, arguments)], stdin,
                          PRIORITY.get(program, 0))
        self.processes.append(process)
        return process

    def cy(self, *arguments, seconds=20, good=True):
        """Runs `cy` to its end."""
        done = subprocess.run(self.prefix.get("cy", []) + [binary("cy"), *map(str, arguments)], cwd=self.folder,
                              capture_output=True, text=True, timeout=seconds, check=False,
                              preexec_fn=prepare(PRIORITY["cy"]))
        if good:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def new_station(self, key, role, name):
        self.cy("keygen", key + ".key")
        self.cy("trust", "--file", "trusted", role, key + ".key.pub", name)

    def start_sim(self, *arguments, port=0, robot=None):
        self.sim = self.start("cy-sim", "--world", os.path.join(HERE, "hall.toml"), "--profile", "ideal",
                              "--robot", f"{robot or self.robot}@5,10,0:{port}", "--port-file", "sim.port",
                              "--trace", "trace.jsonl", "--orders", *arguments, stdin=True)
        self.wait_for(lambda: os.path.exists(self.path("sim.port")), 20, "the simulator to listen")
        with open(self.path("sim.port"), encoding="utf-8") as file:
            address = file.read().split()[1]
        if address.startswith("tcp:"):
            self.sim_port = int(address.rsplit(":", 1)[1])
        self.trace = Trace(self.path("trace.jsonl"))

    def start_agent(self, *, more="", listen="127.0.0.1:0", ready=True, allow_clear=False, address=None,
                    program="cy-agent"):
        address = address or f"tcp:127.0.0.1:{self.sim_port}"
        if os.path.exists(self.path("agent.port")):
            os.remove(self.path("agent.port"))
        with open(self.path("agent.toml"), "w", encoding="utf-8") as file:
            file.write(f"""[agent]
name = "lab"
listen = "{listen}"
key_file = "agent.key"
trust_file = "trusted"
socket = "agent.sock"
black_box = "black-box"
allow_clear = {str(allow_clear).lower()}
port_file = "agent.port"
real_time = {str(not SANITIZED).lower()}

[[robot]]
name = "ada"
driver = "arcos"
address = "{address}"
{more}
""")
        self.agent = self.start(program, "-c", "agent.toml")
        self.agent_port = self.port_in("agent.port", self.agent)
        self.host = listen.rsplit(":", 1)[0]
        if ready:
            self.wait_ready()

    def port_in(self, name, process):
        """The port that a program wrote once it listens."""
        def whole():
            self.assertTrue(process.running(), process.errors())
            if not os.path.exists(self.path(name)):
                return None
            with open(self.path(name), encoding="utf-8") as file:
                text = file.read()
            return text if text.endswith("\n") else None
        return int(self.wait_for(whole, 20, f"{process.label} to listen"))

    def reach(self, port=None, key="station.key", person="Ann"):
        return ["--agent", f"{self.host}:{port or self.agent_port}", "--agent-key", "agent.key.pub", "--key", key,
                "--person", person, "--json"]

    def start_drive(self, *arguments, linear=0.5, seconds=25, **reach):
        return self.start("cy", "drive", *self.reach(**reach), "--linear", linear, "--for", seconds, *arguments,
                          label="drive")

    def status(self, seconds=0.3, **reach):
        return json.loads(self.cy("status", *self.reach(**reach), "--for", seconds).stdout)

    def device(self, **reach):
        return self.status(**reach)["devices"][0]

    def control(self, **reach):
        return self.status(**reach)["robots"][0]["control"]

    # ---- waiting and judging ------------------------------------------------------------

    def wait_for(self, condition, seconds, what):
        until = time.monotonic() + seconds * (3 if SANITIZED else 1)
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > until:
                self.fail(f"waited {seconds} s in vain for {what}")
            time.sleep(0.02)

    def wait_ready(self, seconds=15):
        """The simulated controller is open, and the agent has its reports."""
        self.wait_for(lambda: self.trace.changes("session", "open"), seconds, "the agent to open the controller")
        self.wait_for(lambda: self.device()["phase"] == "ready", seconds, "the device to be ready")

    def wait_driving(self, drive, speed=0.45):
        """It moves as fast as was asked for, and is told so again and again."""
        def moves():
            self.assertTrue(drive.running(), drive.output() + drive.errors())
            rows = drive.rows()
            return rows and rows[-1].get("linear_m_s", 0.0) >= speed and len(self.trace.pushes()) >= 2
        self.wait_for(moves, 15, f"{speed} m/s")

    def drive_at_half(self, **more):
        drive = self.start_drive(**more)
        self.wait_driving(drive)
        return drive

    def assert_told_to_stop(self, since, limit, what):
        """`since`: from when on nothing fresh can have come. The trace says when the stop came."""
        self.wait_for(lambda: self.trace.stops(since), 10, f"a stop after {what}")
        stop = self.trace.stops(since)[0]
        took = (stop.t - since) / MS
        print(f"{self.id()}: {what}: told to stop after {took:.0f} ms (allowed {limit / MS:.0f})")
        self.assertLessEqual(took, limit / MS, f"{what}: the stop came late")
        self.assertEqual(self.trace.pushes(stop.t), [], f"{what}: it was told to move again after the stop")
        return stop

    def wait_rest(self, since, seconds=8):
        return self.wait_for(lambda: self.trace.changes("motion", "resting", since), seconds,
                             "the robot to stand")[0]["t"]

    def assert_stays_at_rest(self, since, seconds=1.0):
        """Nobody pushed since then, and nobody will."""
        time.sleep(seconds)
        self.assertEqual(self.trace.pushes(since), [])
        moves = self.trace.changes("motion")
        self.assertEqual(moves[-1]["to"], "resting", moves[-3:])


def main():
    if not os.path.exists(os.path.join(os.environ.get("CY_BIN", ""), "cy-agent")):
        sys.exit("CY_BIN must name the folder with cy-sim, cy-agent, cy-camera and cy")
    prepare(20)()  # the moments of a kill are stamped here
    unittest.main(verbosity=2)
