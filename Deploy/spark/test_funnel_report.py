"""Holds the reports of funnel_report.py against those of `funnel report`, byte for byte: python test_funnel_report.py FUNNEL SAMPLE_LOGS"""

import gzip
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "funnel_report.py")
# Tasks find the module that the tests import as executors of a cluster find it in the script they are sent.
os.environ["PYTHONPATH"] = ":".join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

import funnel_report  # noqa: E402

NOW = "2026-11-24T00:00:00Z"
FUNNEL, SAMPLES = "", ""


def funnel(*words, status=0, **options):
    result = subprocess.run([FUNNEL, *words], capture_output=True, **options)
    assert result.returncode == status, (words, result.returncode, result.stderr.decode())
    return result.stdout


class ReportTests(unittest.TestCase):
    """Reports in one process, with two tasks at a time."""

    @classmethod
    def setUpClass(cls):
        from pyspark.sql import SparkSession

        cls.session = (
            SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
            .getOrCreate())
        cls.folder = tempfile.mkdtemp(prefix="funnel-spark-")
        cls.lines = funnel("simulate", "--flow", "all", "--subjects", "150", "--faults")
        cls.store = os.path.join(cls.folder, "store")
        half = cls.lines.index(b"\n", len(cls.lines) // 2) + 1
        # Two commits, so that parts have several extents.
        for piece in (cls.lines[:half], cls.lines[half:]):
            funnel("ingest", "-", "--store", cls.store, "--now", NOW, input=piece)

    @classmethod
    def tearDownClass(cls):
        cls.session.stop()
        shutil.rmtree(cls.folder)

    def spark(self, *words, status=0, output="report.json"):
        """Returns the bytes of a report made by Spark, or None and what was said if it ends with an error."""
        path = os.path.join(self.folder, output)
        if os.path.exists(path):
            os.remove(path)
        options = funnel_report.parse(["--funnel", FUNNEL, "--now", NOW, "--output", path, *words])
        try:
            funnel_report.report(self.session, options)
        except funnel_report.Failure as failure:
            self.assertEqual(failure.status, status, str(failure))
            self.assertFalse(os.path.exists(path), "an error leaves no report")
            return str(failure)
        self.assertEqual(status, 0, "it should have failed")
        with open(path, "rb") as file:
            return file.read()

    def write(self, name, contents):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(contents)
        return path

    def test_reports_of_a_store_are_those_of_one_machine(self):
        for words in (["--format", "json"], ["breaches", "--format", "markdown"],
                      ["steps", "--by", "ctx.app_version", "--format", "csv"], ["trend", "--every", "week", "--format", "html"],
                      ["funnel", "--where", "ctx.os~iOS*", "--since", "2026-11-05", "--mature", "--format", "json"]):
            with self.subTest(words=words):
                self.assertEqual(self.spark("--store", self.store, *words), funnel("report", "--store", self.store, "--now", NOW, *words))

    def test_bytes_of_raw_files_stay_as_they_are(self):
        lines = self.lines.splitlines()
        lone = [line.replace(b",", b",\r", 1) for line in lines[:200]]
        self.write("raw/a.ndjson", b"\xef\xbb\xbf" + b"\r\n".join(lone) + b"\n\xff\xfe broken\n")
        self.write("raw/deep/b.ndjson.gz", gzip.compress(b"\n".join(lines[200:900])) + gzip.compress(b"\n" + b"\n".join(lines[900:])))
        # The same lines again, in another file: duplicates meet in their shard.
        self.write("raw/c.json", b"[" + b",\n".join(line for line in lines[300:400] if is_object(line)) + b"]")
        raw = os.path.join(self.folder, "raw")
        self.assertEqual(self.spark(raw, "--format", "json"), funnel("report", raw, "--now", NOW, "--format", "json"))

    def test_large_files_are_read_by_several_tasks(self):
        path = self.write("large/lines.ndjson", self.lines.replace(b"\n", b"\r\n"))
        whole, funnel_report.WHOLE_BYTES = funnel_report.WHOLE_BYTES, 1000
        self.session.conf.set("spark.sql.files.maxPartitionBytes", "100000")
        try:
            self.assertEqual(self.spark(path, "grants", "--format", "csv", output="grants.csv"), funnel("report", "grants", path, "--now", NOW, "--format", "csv"))
        finally:
            funnel_report.WHOLE_BYTES = whole

    def test_exports_of_other_products_are_mapped(self):
        vendors = os.path.join(SAMPLES, "vendors")
        for name, file in (("segment", "segment.gz"), ("csv", "table.csv"), ("amplitude", "amplitude.zip")):
            with self.subTest(format=name):
                words = [os.path.join(vendors, file), "--from", name, "--map", os.path.join(vendors, f"{name}.map.json"),
                         "--schemas", os.path.join(vendors, "flows"), "--source-tz", "UTC"]
                made = self.spark("funnel", *words, "--format", "json")
                self.assertEqual(made, funnel("report", "funnel", *words, "--now", NOW, "--format", "json"))
                self.assertGreater(json.loads(made)["funnel"][0]["entered"], 0)

    def test_people_with_several_subjects_are_counted_as_by_one_machine(self):
        lines = with_users(self.lines)
        half = len(lines) // 2
        self.write("users/a.ndjson", b"".join(lines[:half]))
        self.write("users/b.ndjson.gz", gzip.compress(b"".join(lines[half:])))
        raw, store = os.path.join(self.folder, "users"), os.path.join(self.folder, "users-store")
        funnel("ingest", raw, "--store", store, "--now", NOW)
        for words in (["--store", store], [raw], ["funnel", raw, "--merge-limit", "2"], [raw, "--count-by", "subject"]):
            with self.subTest(words=words):
                made = self.spark(*words, "--shards", "5", "--format", "json")
                self.assertEqual(made, funnel("report", *words, "--now", NOW, "--format", "json"))
        # The users of this log matter: as many subjects are more people.
        by_person, by_subject = (
            funnel("report", "funnel", raw, "--now", NOW, "--format", "csv", "--count-by", unit) for unit in ("person", "subject"))
        self.assertNotEqual(by_person, by_subject)

    def test_damage_of_a_store_is_an_error_that_names_the_part(self):
        for damage in (flipped, cut, emptied, removed):
            with self.subTest(damage=damage.__name__):
                store = os.path.join(self.folder, "damaged")
                shutil.rmtree(store, ignore_errors=True)
                shutil.copytree(self.store, store)
                part = sorted(path for path in walk(os.path.join(store, "log")) if path.endswith(".gz"))[3]
                damage(part)
                said = self.spark("--store", store, status=74)
                self.assertIn(os.path.basename(os.path.dirname(part)), said)
                told = json.loads(self.spark("--store", store, "funnel", "--tolerate-damage", "--format", "json"))
                self.assertIn(os.path.basename(os.path.dirname(part)), json.dumps(told["damage"]))

    def test_a_journal_that_lost_its_end_is_an_error(self):
        store = os.path.join(self.folder, "shorter")
        shutil.copytree(self.store, store)
        path = os.path.join(store, "log", "journal.ndjson")
        with open(path, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        with open(path, "wb") as file:
            file.write(b"".join(lines[:-1]))
        self.assertIn("journal", self.spark("--store", store, status=74))

    def test_a_file_that_ends_too_early_is_an_error(self):
        whole = gzip.compress(self.lines)
        path = self.write("cut/lines.ndjson.gz", whole[:len(whole) // 2])
        self.assertIn("lines.ndjson.gz", self.spark(path, status=74))
        told = self.spark(path, "--tolerate-damage", "--format", "markdown", output="report.md")
        self.assertIn(b"lines.ndjson.gz", told)

    def test_mistakes_are_told_as_by_funnel(self):
        with self.assertRaises(funnel_report.Failure) as missing:
            funnel_report.parse(["--funnel", FUNNEL, "--output", "x"])
        self.assertEqual(missing.exception.status, 64)
        self.assertIn("no such", self.spark(os.path.join(self.folder, "nowhere"), status=66))
        self.assertIn("--by", self.spark("--store", self.store, "--by", "nonsense", status=64))


class ClusterTests(unittest.TestCase):
    """A master and two workers, one of which is killed in the middle of the work."""

    def test_a_killed_worker_changes_no_byte(self):
        with tempfile.TemporaryDirectory(prefix="funnel-cluster-") as folder:
            raw = os.path.join(folder, "raw")
            os.mkdir(raw)
            for number in range(8):
                with open(os.path.join(raw, f"{number}.ndjson"), "wb") as file:
                    file.write(funnel("simulate", "--flow", "all", "--subjects", "300", "--seed", str(number)))
            port = free_port()
            master = started(folder, "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
            workers = [
                started(folder, "worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g",
                        "--work-dir", os.path.join(folder, f"work{number}"), f"spark://127.0.0.1:{port}")
                for number in range(2)]
            try:
                wait_for_port(port)
                output = os.path.join(folder, "report.json")
                job = subprocess.Popen(
                    [sys.executable, SCRIPT, "--funnel", FUNNEL, raw, "--now", NOW, "--format", "json", "--shards", "16",
                     "--output", output], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    env={**os.environ, "MASTER": f"spark://127.0.0.1:{port}", "PYSPARK_SUBMIT_ARGS":
                         f"--master spark://127.0.0.1:{port} --conf spark.executor.memory=512m --conf spark.ui.enabled=false pyspark-shell"})
                killed = threading.Thread(target=kill_when_busy, args=(folder, workers[0]))
                killed.start()
                said = job.communicate(timeout=400)[1]
                killed.join()
                self.assertEqual(job.returncode, 0, said.decode()[-2000:])
                with open(output, "rb") as file:
                    self.assertEqual(file.read(), funnel("report", raw, "--now", NOW, "--format", "json"))
            finally:
                for process in [*workers, master]:
                    end(process)


def is_object(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def with_users(lines):
    """Returns lines of which a third name one of a few users."""
    chance, named = random.Random(5), []
    for line in lines.splitlines(keepends=True):
        if line.startswith(b'{"') and chance.randrange(3) == 0:
            line = b'{"user":"account-%d",' % chance.randrange(200) + line[1:]
        named.append(line)
    return named


def walk(folder):
    return [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]


def flipped(path):
    with open(path, "r+b") as file:
        contents = bytearray(file.read())
        place = random.Random(7).randrange(len(contents))
        contents[place] ^= 4
        file.seek(0)
        file.write(contents)


def cut(path):
    os.truncate(path, os.path.getsize(path) - 1)


def emptied(path):
    os.truncate(path, 0)


def removed(path):
    os.remove(path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the master does not listen")


def started(folder, name, *words):
    import pyspark

    log = open(os.path.join(folder, name + ".log"), "ab")
    command = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-class")
    return subprocess.Popen([command, "org.apache.spark.deploy." + name, *words], stdout=log, stderr=log, start_new_session=True)


def kill_when_busy(folder, worker):
    """Kills a worker with its executors as soon as its executor has begun to work."""
    for _ in range(3000):
        if any(path.endswith(".unpacked/bin/funnel") for path in walk(os.path.join(folder, "work0"))):
            break
        time.sleep(0.02)
    end(worker)


def end(process):
    """Kills a process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


if __name__ == "__main__":
    FUNNEL, SAMPLES = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
