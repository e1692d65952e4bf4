#!/usr/bin/env python3
"""The reports of `funnel report`, computed on Spark: byte for byte the same.

    spark-submit funnel_report.py --funnel BIN (--store DIR | INPUT...) [NAME] [report options] --output FILE

Spark reads, shuffles and schedules; `funnel` does all the counting:

    files -> funnel shard --links -> links of persons
    files -> funnel shard -> lines by person -> funnel fold -> states -> funnel merge -> FILE

1. Each file is read as bytes and piped through `funnel shard --links`, which prints the links between subjects and users. The driver collects
   them into one file for all executors. With --count-by subject or attempt this scan is left out.
2. Each file is read again and piped through `funnel shard`, which prefixes each line with the number of its shard, a hash of app and of what
   the links make of the subject. Lines of one shard travel in chunks, so Spark moves thousands of lines at a time, compressed.
3. `funnel fold` folds each shard, which has all lines of its persons, into a state. Spark runs a failed task again and uses the result of
   one run, so nothing is counted twice.
4. The states, which are small, are sent to the driver, where `funnel merge` makes the report and writes it atomically.

Damage never goes unnoticed. A part of a store must have the bytes that the store's journal records, by their SHA-256 (gzip itself does not
notice missing members). A file that can't be read to its end is an error that names it. With --tolerate-damage the report covers what could
be read, and says what is missing.

The program runs on every executor. It is sent there with its libraries, definitions and mappings, so executors need only Python and the
same C library.

EXAMPLES
  Standalone cluster:
    spark-submit --master spark://10.0.0.5:7077 funnel_report.py --funnel /usr/local/bin/funnel \\
      --store hdfs://nn/funnel-store funnel --since 30d --by ctx.variant --format json --output funnel.json
  YARN:
    spark-submit --master yarn --deploy-mode client --num-executors 50 --executor-cores 4 funnel_report.py \\
      --funnel ./funnel --store hdfs:///funnel-store --output report.md
  Kubernetes:
    spark-submit --master k8s://https://api:6443 --deploy-mode client --conf spark.kubernetes.container.image=apache/spark-py:4.0.0 \\
      funnel_report.py --funnel ./funnel 's3a://events/2026/11/*.gz' grants --output grants.csv
  EMR, Dataproc (a step, or a job, with the same words):
    spark-submit --deploy-mode client funnel_report.py --funnel ./funnel gs://exports/segment/ --from segment \\
      --map segment.map.json trend --every week --output gs://reports/trend.html

EXIT STATUS  0 done, 64 a mistake in the command line, 65 the input can't be used, 66 no such input, 74 reading failed or damage was found
"""

import argparse
import datetime
import glob
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.parse

USAGE, UNUSABLE, NO_INPUT, INPUT_OUTPUT = 64, 65, 66, 74

# Lines of one shard travel in chunks of about this size: large enough that Spark's cost for each does not matter, small enough that
# a task can hold one for every shard.
CHUNK_BYTES = 256 << 10
# The memory that all chunks of a task may take before they are passed on.
CHUNKS_BYTES = 64 << 20
# The lines that are looked at in one go.
BATCH_BYTES = 1 << 20
# A shard's share of the input: what a fold holds in memory easily.
SHARD_BYTES = 128 << 20
# A file of lines that is larger is read by several tasks. Spark reads any other file as a whole, up to 2 GiB.
WHOLE_BYTES = 256 << 20
WHOLE_BYTES_MAX = (2 << 30) - 1
NAMES = (".ndjson", ".jsonl", ".json", ".csv", ".zip", ".gz")
LINES = (".ndjson", ".jsonl")
REPORTS = (
    "funnel", "grants", "dropoff", "steps", "times", "trend", "outcomes", "breaches", "access", "next", "drivers", "retention")
# The values of --from that belong to the report retention. All others are formats of records.
RETENTION_STARTS = ("entered", "completed")
# Records that are no lines of a shard: what could not be read, and which files were.
DAMAGE, READ = -1, -2
# A link of a person, from the scan that collects them.
LINK = -3


class Failure(Exception):
    """An error for the user: one line, and the exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


# --- The command line ---------------------------------------------------------------------------------------------------------------


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(USAGE, f"{message}, see --help")


def parser():
    result = Parser(
        prog="funnel_report.py", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="spark-submit %(prog)s --funnel BIN (--store DIR | INPUT...) [NAME] [report options] --output FILE",
        description=__doc__.split("\n\n", 2)[2])
    own = result.add_argument_group("what and where")
    own.add_argument("words", nargs="*", metavar="INPUT|NAME", help="files, folders or globs on any file system that Spark knows, and a report name: " + ", ".join(REPORTS))
    own.add_argument("--funnel", required=True, metavar="BIN", help="the program, built for the executors' system")
    own.add_argument("--store", metavar="DIR", help="a store, on any file system that Spark knows")
    own.add_argument("--output", required=True, metavar="FILE", help="the report file; its ending selects the format")
    own.add_argument("--shards", type=int, metavar="N", help="number of shards (default: one per 128 MiB, at least two per core)")
    own.add_argument("--tolerate-damage", action="store_true", help="report what can be read, and say what is missing")
    given = result.add_argument_group("options of 'funnel report'")
    for option in ("since", "until", "now", "tz", "window", "order", "count-by", "merge-limit", "every", "steps", "after", "app",
                   "periods", "source-tz", "format", "width", "memory-limit"):
        given.add_argument("--" + option, metavar="VALUE")
    for option in ("by", "where", "flow", "exclude", "schemas", "map", "from", "return"):
        given.add_argument("--" + option, metavar="VALUE", action="append", default=[])
    for option in ("mature", "excel"):
        given.add_argument("--" + option, action="store_true")
    return result


def parse(arguments):
    options = parser().parse_intermixed_args(arguments)
    names = [word for word in (options.words[:1] + options.words[-1:]) if word in REPORTS]
    options.name = names[0] if names else None
    if options.name:
        options.words.remove(options.name)
    options.inputs = options.words
    if options.store and options.inputs:
        raise Failure(USAGE, f"both --store and {options.inputs[0]}, give one of them")
    if not options.store and not options.inputs:
        raise Failure(USAGE, "no input, give --store DIR, files or folders")
    options.starts = [word for word in getattr(options, "from") if word in RETENTION_STARTS]
    options.formats = [word for word in getattr(options, "from") if word not in RETENTION_STARTS]
    if options.store and (options.formats or options.map or options.source_tz):
        raise Failure(USAGE, "--from, --map and --source-tz with --store, a store holds funnel's own events, leave them out")
    if options.shards is not None and not 1 <= options.shards <= 1_000_000:
        raise Failure(USAGE, f"--shards {options.shards}, give 1 to 1000000")
    if not os.path.isfile(options.funnel):
        raise Failure(NO_INPUT, f"{options.funnel}, no such program, build it with: make build")
    # All tasks must have the same present, or their states do not belong together.
    if not options.now:
        now = datetime.datetime.now(datetime.timezone.utc)
        options.now = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
    return options


def words_of(options, *names):
    """Returns options as they are given to funnel."""
    words = []
    for name in names:
        value = getattr(options, name.replace("-", "_"))
        if value is True:
            words.append("--" + name)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                words.append(f"--{name}={text}")
    return words


# --- Files, on the driver -----------------------------------------------------------------------------------------------------------


class Files:
    """The file systems that Spark knows, by their Java interface."""

    def __init__(self, context):
        self.jvm, self.configuration = context._jvm, context._jsc.hadoopConfiguration()

    def path(self, text):
        return self.jvm.org.apache.hadoop.fs.Path(text)

    def of(self, path):
        return path.getFileSystem(self.configuration)

    def exists(self, text):
        path = self.path(text)
        return self.of(path).exists(path)

    def read(self, text, folder):
        """Returns the bytes of a small file."""
        local = os.path.join(folder, "copy")
        path = self.path(text)
        self.of(path).copyToLocalFile(False, path, self.path("file://" + urllib.parse.quote(local)), True)
        with open(local, "rb") as file:
            return file.read()

    def write(self, local, text):
        path = self.path(text)
        self.of(path).copyFromLocalFile(False, True, self.path("file://" + urllib.parse.quote(local)), path)

    def status(self, text):
        """Returns the name and the size of a file, or None if there is none."""
        path = self.path(text)
        system = self.of(path)
        if not system.exists(path):
            return None
        status = system.getFileStatus(path)
        return status.getPath().toString(), status.getLen()

    def find(self, text):
        """Returns name and size of the files that a word means: itself, those of a folder, or those that a glob matches."""
        path = self.path(text)
        system = self.of(path)
        matches = [system.getFileStatus(path)] if system.exists(path) else list(system.globStatus(path) or [])
        if not matches:
            raise Failure(NO_INPUT, f"{text}, no such file or folder, check the path")
        files = []
        for status in matches:
            if status.isDirectory():
                files += [file for file in self.under(system, status.getPath()) if file[0].lower().endswith(NAMES)]
            else:
                files.append((status.getPath().toString(), status.getLen()))
        return files

    @staticmethod
    def under(system, path):
        found, rest = [], system.listFiles(path, True)
        while rest.hasNext():
            status = rest.next()
            if not status.getPath().getName().startswith("."):
                found.append((status.getPath().toString(), status.getLen()))
        return sorted(found)


def extents_of(files, store, folder):
    """Reads a store's journal (SPECIFICATION.md, section 2): the extents of each part that count, as (offset, bytes, events, SHA-256)."""
    journal = store.rstrip("/") + "/log/journal.ndjson"
    if not files.exists(journal):
        raise Failure(NO_INPUT, f"{store}, no store, check the path")
    contents = files.read(journal, folder)
    # Behind the last line feed is a commit that was never made.
    lines = contents[:contents.rfind(b"\n") + 1].splitlines(keepends=True)
    extents, previous, number = {}, "0" * 64, 0
    for line in lines:
        number += 1
        body, key, seal = line.rstrip(b"\n").rpartition(b',"sha256":"')
        commit = json.loads(line)
        if hashlib.sha256(body).hexdigest() != seal[:64].decode() or commit["prev"] != previous or commit["commit"] != number:
            raise Failure(INPUT_OUTPUT, f"{journal}, line {number} is damaged, see 'funnel log verify'")
        previous = commit["sha256"]
        for extent in commit["appended"]:
            extents.setdefault(extent["path"], []).append(
                (extent["offset"], extent["bytes"], extent["events"], extent["sha256"]))
        for path in commit["removed"]:
            extents.pop(path, None)
    head = store.rstrip("/") + "/log/journal.head"
    if files.exists(head):
        known = json.loads(files.read(head, folder).strip() or b"{}").get("commit", 0)
        if known > number:
            raise Failure(INPUT_OUTPUT, f"{journal}, it ends before commit {known}, see 'funnel log verify'")
    return {path: parts for path, parts in extents.items() if path.startswith("log/")}


def parts_of(files, options, folder):
    """Returns the parts of a store: name, size, and the extents that the part must have. What is missing is damage."""
    parts, damage = [], []
    for path, extents in sorted(extents_of(files, options.store, folder).items()):
        name = options.store.rstrip("/") + "/" + path
        status = files.status(name)
        if status is None:
            damage.append(dict(path=path, offset=0, events=sum(extent[2] for extent in extents), reason="the part is missing"))
        elif status[1] == 0:
            # Spark passes over files without bytes.
            damage.append(dict(path=path, offset=0, events=sum(extent[2] for extent in extents), reason="the part is empty"))
        else:
            parts.append((status[0], status[1], path, extents))
    return parts, damage


# --- What executors need ------------------------------------------------------------------------------------------------------------

# These come with every system that the program runs on.
SYSTEM_LIBRARIES = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libgcc_s.so",
                    "libstdc++.so")


def libraries_of(program):
    """Returns the shared libraries of a program that an executor may lack."""
    try:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    found = [line.split("=>")[1].split("(")[0].strip() for line in listed.splitlines() if "=>" in line]
    return [path for path in found if os.path.isfile(path) and not os.path.basename(path).startswith(SYSTEM_LIBRARIES)]


def bundle(options, files, folder):
    """Packs program, libraries, definitions and mappings into one file, and returns its path."""
    path = os.path.join(folder, "funnel-bundle")
    with tarfile.open(path, "w") as archive:
        archive.add(os.path.realpath(options.funnel), "bin/funnel")
        for library in libraries_of(options.funnel):
            archive.add(os.path.realpath(library), "lib/" + os.path.basename(library))
        for number, directory in enumerate(options.schemas):
            archive.add(directory, f"schemas/{number}")
        for number, mapping in enumerate(options.map):
            archive.add(mapping, f"maps/{number}.json")
        for number, directory in enumerate(environment_folders(options, files, folder)):
            archive.add(directory, f"environment/{number}")
    # Spark would unpack a file that is called .tar or .tgz on its own. The name tells the bundles of a session apart.
    with open(path, "rb") as file:
        named = os.path.join(folder, f"funnel-{hashlib.sha256(file.read()).hexdigest()[:16]}.bundle")
    os.rename(path, named)
    return named


def environment_folders(options, files, folder):
    """Returns the folders of definitions below those of --schemas: the store's own, and those of $FUNNEL_SCHEMAS."""
    folders = [name for name in os.environ.get("FUNNEL_SCHEMAS", "").split(":") if name]
    own = (options.store or "").rstrip("/") + "/schemas"
    if options.store and files.exists(own):
        local = os.path.join(folder, "store-schemas")
        os.mkdir(local)
        path = files.path(own)
        for name, _ in files.under(files.of(path), path):
            with open(os.path.join(local, os.path.basename(name)), "wb") as file:
                file.write(files.read(name, folder))
        folders.append(local)
    return folders


class Program:
    """The program on an executor, unpacked once for each process."""

    def __init__(self, root):
        self.root = root
        self.environment = dict(os.environ)
        self.environment["LD_LIBRARY_PATH"] = ":".join(
            filter(None, [os.path.join(root, "lib"), os.environ.get("LD_LIBRARY_PATH")]))
        self.environment["FUNNEL_SCHEMAS"] = ":".join(sorted(glob.glob(os.path.join(root, "environment", "*"))))

    @staticmethod
    def unpacked(archive):
        root = archive + ".unpacked"
        if not os.path.isdir(root):
            # In a folder of its own first: other processes must not see half a bundle.
            fresh = tempfile.mkdtemp(prefix="unpacking-", dir=os.path.dirname(archive))
            with tarfile.open(archive) as file:
                file.extractall(fresh)
            try:
                os.rename(fresh, root)
            except OSError:
                # Another process was faster.
                shutil.rmtree(fresh, ignore_errors=True)
        return Program(root)

    def command(self, *words):
        """Returns a command line with the definitions and mappings of the bundle."""
        words = [os.path.join(self.root, "bin", "funnel"), *words]
        words += [f"--schemas={path}" for path in sorted(glob.glob(os.path.join(self.root, "schemas", "*")))]
        if words[1] == "shard":
            words += [f"--map={path}" for path in sorted(glob.glob(os.path.join(self.root, "maps", "*")))]
        return words

    def start(self, words, **options):
        return subprocess.Popen(self.command(*words), env=self.environment, **options)


def complaint(text):
    """Returns the last sentence of what a command said."""
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line]
    return lines[-1].removeprefix("funnel: ") if lines else "it said nothing"


# --- Sharding, on executors ---------------------------------------------------------------------------------------------------------


class Chunks:
    """The lines of each shard, collected until they are worth passing on."""

    def __init__(self):
        self.chunks, self.count = {}, 0

    def add(self, batch):
        """Adds lines with the numbers of their shards in front, and returns what is full as (shard, bytes)."""
        chunks, full = self.chunks, []
        for line in batch:
            shard, _, text = line.partition(b"\t")
            chunk = chunks.get(shard)
            if chunk is None:
                chunk = chunks[shard] = bytearray()
            chunk += text
            if len(chunk) > CHUNK_BYTES:
                full.append((int(shard), bytes(chunk)))
                del chunks[shard]
        self.count += len(batch)
        # With many shards no chunk may be full for long.
        return full if sum(map(len, chunks.values())) < CHUNKS_BYTES else full + self.take()

    def take(self):
        """Returns what was collected."""
        chunks, self.chunks = self.chunks, {}
        return [(int(shard), bytes(chunk)) for shard, chunk in chunks.items()]


class Links:
    """The links that `funnel shard --links` prints, passed on one by one. They are few: a task prints each link once."""

    # Links are not counted, because their number says nothing about the events.
    count = None

    def add(self, batch):
        return [(LINK, line) for line in batch]

    def take(self):
        return []


def sharded(program, words, pieces, collector):
    """Pipes pieces of bytes through `funnel shard`, and yields what a collector (Chunks, Links) makes of its lines.

    Returns its exit status, its messages, and the number of lines if the collector counts them.
    """
    process = program.start(["shard", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = io.BytesIO()

    def feed():
        try:
            for piece in pieces:
                process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            pass  # Its exit status says why it did not read on.

    threads = [threading.Thread(target=feed), threading.Thread(target=lambda: said.write(process.stderr.read()))]
    for thread in threads:
        thread.start()
    chunks = collector()
    while batch := process.stdout.readlines(BATCH_BYTES):
        yield from chunks.add(batch)
    for thread in threads:
        thread.join()
    yield from chunks.take()
    return process.wait(), said.getvalue(), chunks.count


def shard_file(program, words, name, contents, tolerates, collector):
    """Yields the lines of one whole file of an input."""
    status, said, _ = yield from sharded(program, [*words, "-"], [contents], collector)
    if status == 0:
        return
    reason = complaint(said).replace("standard input", name).replace("-, line", f"{name}, line")
    if status != UNUSABLE or not tolerates:
        raise RuntimeError(f"FUNNEL {INPUT_OUTPUT} {name}: {reason}")
    yield DAMAGE, json.dumps(dict(path=name, offset=0, events=None, reason=reason)).encode()


def shard_part(program, words, path, extents, contents, tolerates, collector):
    """Yields the records of one part of a store, as far as they are what the journal says."""
    sound, damage = [], []
    for offset, count, events, digest in extents:
        piece = memoryview(contents)[offset:offset + count]
        if len(piece) < count:
            damage.append(dict(path=path, offset=offset, events=events, reason=f"it ends after {len(contents)} bytes"))
        elif hashlib.sha256(piece).hexdigest() != digest:
            damage.append(dict(path=path, offset=offset, events=events, reason="its bytes are not those that were written"))
        else:
            sound.append((piece, events))
    for place in damage:
        if not tolerates:
            raise RuntimeError(f"FUNNEL {INPUT_OUTPUT} {path}: damaged from byte {place['offset']} on, {place['reason']}")
        yield DAMAGE, json.dumps(place).encode()
    if not sound:
        return
    status, said, count = yield from sharded(program, [*words, "--stored", "-"], [piece for piece, _ in sound], collector)
    expected = sum(events for _, events in sound)
    if status != 0 or count not in (None, expected):
        reason = complaint(said) if status != 0 else f"{count} records instead of {expected}"
        raise RuntimeError(f"FUNNEL {INPUT_OUTPUT} {path}: {reason}")


# --- Folding, on executors ----------------------------------------------------------------------------------------------------------


def local_folder():
    """Returns a folder of the disk that the cluster gives to tasks, or None for the system's own."""
    folders = os.environ.get("SPARK_LOCAL_DIRS") or os.environ.get("LOCAL_DIRS") or ""
    return next((folder for folder in folders.split(",") if os.access(folder, os.W_OK)), None)


def fold_shards(program, words, records, is_first):
    """Folds the lines of a partition, all of its shards at once, and yields its state. One partition makes a state even of no lines."""
    with tempfile.TemporaryDirectory(prefix="funnel-fold-", dir=local_folder()) as folder:
        lines, state = os.path.join(folder, "lines.ndjson"), os.path.join(folder, "state")
        count = 0
        with open(lines, "wb") as file:
            for shard, chunk in records:
                if shard == DAMAGE:
                    yield "damage", chunk
                elif shard == READ:
                    yield "read", chunk
                else:
                    file.write(chunk)
                    count += 1
        if count == 0 and not is_first:
            return
        # What does not fit into --memory-limit goes to the same disk.
        program.environment["TMPDIR"] = folder
        process = program.start(["fold", *words, lines, f"--state={state}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.communicate()[1]
        if process.returncode != 0:
            raise RuntimeError(f"FUNNEL {process.returncode} {complaint(said)}")
        with open(state, "rb") as file:
            yield "state", file.read()


# --- The job ------------------------------------------------------------------------------------------------------------------------


class Job:
    """What is read, and how: listed on the driver before any task starts, so that what is missing is told at once."""

    def __init__(self, session, options, folder):
        self.session, self.options, self.folder = session, options, folder
        self.files = Files(session.sparkContext)
        self.damage, self.parts, self.whole, self.large = [], {}, [], []
        # The size of all lines, roughly: gzip makes a tenth of them.
        self.size = self.list_store() if options.store else self.list_inputs()

    def list_store(self):
        parts, self.damage = parts_of(self.files, self.options, self.folder)
        if self.damage and not self.options.tolerate_damage:
            place = self.damage[0]
            raise Failure(INPUT_OUTPUT, f"{place['path']}: {place['reason']}, see 'funnel log verify'")
        self.parts = {name: (path, extents) for name, _, path, extents in parts}
        return 10 * sum(size for _, size, _, _ in parts)

    def list_inputs(self):
        found = sorted({file for word in self.options.inputs for file in self.files.find(word)})
        if not found:
            raise Failure(NO_INPUT, f"{self.options.inputs[0]}, no file of events in it, check the path")
        for name, size in found:
            if size == 0:
                continue
            if size > WHOLE_BYTES and name.lower().endswith(LINES):
                self.large.append(name)
                continue
            if size > WHOLE_BYTES_MAX:
                raise Failure(UNUSABLE, f"{name}, {size} bytes, more than Spark reads as a whole, split it, or ingest it into a store")
            self.whole.append(name)
        return sum(size * (10 if name.lower().endswith((".gz", ".zip")) else 1) for name, size in found)

    @property
    def shards(self):
        least = 2 * self.session.sparkContext.defaultParallelism
        return self.options.shards or max(least, -(-self.size // SHARD_BYTES))

    def words(self):
        """Returns the common options of both runs of `funnel shard`, and those of `funnel fold`. Each core has a task of its own, so the program has one thread."""
        options = self.options
        shard = words_of(options, "now", "source-tz") + [f"--from={word}" for word in options.formats] + ["--threads=1"]
        fold = [options.name] if options.name else []
        fold += words_of(
            options, "now", "app", "since", "until", "tz", "window", "order", "count-by", "merge-limit", "by", "where", "flow", "exclude",
            "every", "steps", "after", "periods", "return", "mature", "memory-limit")
        fold += [f"--from={word}" for word in options.starts]
        fold += ["--threads=1", "--stored" if options.store else "--from=native"]
        return shard + ([] if options.store else words_of(options, "app")), fold

    def scan(self, archive, words, collector, links=None):
        """Returns what `funnel shard` makes of all files, with a file of links or without, as (shard, bytes)."""
        from pyspark import SparkFiles

        context, tolerates = self.session.sparkContext, self.options.tolerate_damage
        parts = context.broadcast(self.parts)

        def program():
            return Program.unpacked(SparkFiles.get(archive))

        def words_here():
            return words + ([f"--links={SparkFiles.get(links)}"] if links else [])

        def shard_parts(rows):
            for name, contents in rows:
                yield from shard_part(program(), words_here(), *parts.value[name], contents, tolerates, collector)
                yield READ, name.encode()

        def shard_files(rows):
            for name, contents in rows:
                yield from shard_file(program(), words_here(), name, contents, tolerates, collector)
                yield READ, name.encode()

        def shard_rows(rows):
            yield from shard_lines(program(), words_here(), rows, collector)

        chunks = context.emptyRDD()
        if self.parts:
            chunks = chunks.union(whole_files(self.session, self.parts).mapPartitions(shard_parts))
        if self.whole:
            chunks = chunks.union(whole_files(self.session, self.whole).mapPartitions(shard_files))
        if self.large:
            chunks = chunks.union(lines_of(self.session, self.large).mapPartitions(shard_rows))
        return chunks

    def links(self, archive, words):
        """Sends the links of all files to the executors, and returns the name of their file, or None if there are none."""
        if self.options.count_by in ("subject", "attempt"):
            # Persons are not counted, so no two subjects belong together.
            return None
        found = self.scan(archive, [*words, "--links=-"], Links).filter(lambda record: record[0] == LINK).values().distinct().collect()
        if not found:
            return None
        lines = b"".join(sorted(found))
        # The name tells the links of a session's reports apart.
        path = os.path.join(self.folder, f"funnel-{hashlib.sha256(lines).hexdigest()[:16]}.links")
        with open(path, "wb") as file:
            file.write(lines)
        self.session.sparkContext.addFile(path)
        return os.path.basename(path)

    def states(self):
        """Returns the states of all shards, and what could not be read, as (kind, bytes)."""
        from pyspark import SparkFiles

        packed = bundle(self.options, self.files, self.folder)
        self.session.sparkContext.addFile(packed)
        archive = os.path.basename(packed)
        shard, fold = self.words()

        def fold_records(index, records):
            yield from fold_shards(Program.unpacked(SparkFiles.get(archive)), fold, records, is_first=index == 0)

        chunks = self.scan(archive, [*shard, f"--shards={self.shards}"], Chunks, self.links(archive, shard))
        # What is no line of a shard goes to the first partition.
        return chunks.partitionBy(self.shards, lambda shard: max(shard, 0)).mapPartitionsWithIndex(fold_records).collect()

    def run(self):
        results = self.states()
        # Spark has settings that pass over files in silence.
        missed = set(self.parts).union(self.whole) - {value.decode() for kind, value in results if kind == "read"}
        if missed:
            raise Failure(INPUT_OUTPUT, f"{min(missed)}, Spark did not read it, check its settings that ignore files")
        self.damage += [json.loads(value) for kind, value in results if kind == "damage"]
        self.merge([value for kind, value in results if kind == "state"])

    def merge(self, states):
        """Makes the report of the states and writes it, all or nothing."""
        words = words_of(self.options, "format", "width", "excel") + ([self.options.name] if self.options.name else [])
        for number, state in enumerate(states):
            path = os.path.join(self.folder, f"{number}.state")
            with open(path, "wb") as file:
                file.write(state)
            words.append(path)
        if self.damage:
            missing = os.path.join(self.folder, "missing.ndjson")
            with open(missing, "w", encoding="utf-8") as file:
                for place in sorted(self.damage, key=lambda place: (place["path"], place["offset"])):
                    print(json.dumps(place), file=file)
            words.append(f"--missing={missing}")
        output, is_remote = self.options.output, "://" in self.options.output
        if is_remote:
            output = os.path.join(self.folder, "report." + output.rpartition("/")[2].rpartition(".")[2])
        merged = subprocess.run([self.options.funnel, "merge", *words, f"--output={output}"], stderr=subprocess.PIPE)
        sys.stderr.write(merged.stderr.decode("utf-8", "replace"))
        if merged.returncode != 0 and not (merged.returncode == INPUT_OUTPUT and self.damage):
            raise Failure(merged.returncode, "")
        if is_remote:
            self.files.write(output, self.options.output)


def escaped(name):
    """Returns a path that Spark takes for itself, and not for a glob."""
    return "".join("\\" + letter if letter in "*?[]{}\\" else letter for letter in name)


def whole_files(session, names):
    """Returns name and bytes of files, each read as a whole. (Spark's `textFile` would replace bytes that are no UTF-8.)"""
    # Without this Spark takes dt=2026-11-20 for a column, and refuses files with and without it.
    reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    reader = reader.option("ignoreCorruptFiles", "false").option("ignoreMissingFiles", "false")
    return reader.load([escaped(name) for name in names]).select("path", "content").rdd.map(lambda row: (row[0], row[1]))


def lines_of(session, names):
    """Returns the lines of large files as bytes. They are cut at line feeds alone: a lone carriage return is a blank of JSON."""
    reader = session.read.option("lineSep", "\n").option("recursiveFileLookup", "true")
    rows = reader.text([escaped(name) for name in names])
    return rows.select(rows["value"].cast("binary")).rdd.map(lambda row: row[0])


def shard_lines(program, words, rows, collector):
    """Yields the lines of a piece of a large file."""
    status, said, _ = yield from sharded(program, [*words, "-"], (bytes(row) + b"\n" for row in rows), collector)
    if status != 0:
        raise RuntimeError(f"FUNNEL {INPUT_OUTPUT} {complaint(said)}")


def failure_of(error):
    """Returns what a task, whose exception comes wrapped in Spark's, said to the user."""
    found = re.search(r"FUNNEL (\d+) (.*)", str(error))
    if found:
        return Failure(int(found[1]), found[2].strip())
    return Failure(INPUT_OUTPUT, f"Spark, {str(error).strip().splitlines()[0]}, its log says more")


def report(session, options):
    """Makes one report.

    Raises Failure, with the exit status that `funnel report` has for it.
    """
    with tempfile.TemporaryDirectory(prefix="funnel-report-") as folder:
        try:
            Job(session, options, folder).run()
        except Failure:
            raise
        except Exception as error:
            raise failure_of(error) from error


def main(arguments):
    try:
        options = parse(arguments)
        from pyspark.sql import SparkSession

        session = SparkSession.builder.appName("funnel report").getOrCreate()
        try:
            report(session, options)
        finally:
            session.stop()
    except Failure as failure:
        if str(failure):
            print(f"funnel_report.py: {failure}", file=sys.stderr)
        return failure.status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
