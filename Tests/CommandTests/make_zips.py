"""Writes zips of events into a folder, sound ones and broken ones: make_zips.py FOLDER

Each event is of a subject of its own, so that accepted events tell which entries were read.
"""

import gzip
import io
import json
import os
import struct
import sys
import zipfile
import zlib


def events(first, count):
    return "".join(
        '{"name":"perm_flow_start","ts":%d,"subject":"s%d","app":"cleaner"}\n' % (1795168800000 + n, n)
        for n in range(first, first + count)).encode()


def zipped(entries, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in entries:
            file.writestr(name, data)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """A stream that can't seek: the writer puts lengths behind the data."""

    def __init__(self):
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


def streamed(entries):
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries:
            file.writestr(name, data)
    return bytes(pipe.data)


def zip64(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file, file.open(name, "w", force_zip64=True) as entry:
        entry.write(data)
    return out.getvalue()


def patched(data, at, format, change, central=True):
    """Changes a field of the first entry's header, and of its copy in the directory."""
    data = bytearray(data)
    places = [at] + ([data.index(b"PK\1\2") + at + 2] if central else [])
    for place in places:
        (value,) = struct.unpack_from(format, data, place)
        struct.pack_into(format, data, place, change(value))
    return bytes(data)


def header(name, crc, packed, size):
    return struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, packed, size, len(name), 0) + name


def directory(files, length):
    entries = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, packed, size, len(name), 0, 0, 0, 0, 0, offset) + name
        for name, crc, packed, size, offset in files)
    return entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(files), len(files), len(entries), length, 0)


def overlapping(count):
    """D. Fifield's zip whose entries quote each other's headers and share the data behind them (A better zip bomb, WOOT 2019)."""
    plain = events(0, 100)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(plain) + deflate.flush()
    name = b"%03d.json" % count
    files = [(name, zlib.crc32(plain), len(data), len(plain))]
    data = header(*files[0]) + data
    for number in range(count - 1, 0, -1):
        quoted = header(*files[0])
        plain = quoted + plain
        data = struct.pack("<BHH", 0, len(quoted), len(quoted) ^ 0xFFFF) + data
        files.insert(0, (b"%03d.json" % number, zlib.crc32(plain), len(data), len(plain)))
        data = header(*files[0]) + data
    return data + directory([file + (data.index(header(*file)),) for file in files], len(data))


def main(folder):
    three = zipped([("a.json", events(0, 100)), ("b.json", events(1000, 10)), ("c.json", events(2000, 10))])
    inner = zipped([("i.json", events(300, 3))])
    array = json.dumps([json.loads(line) for line in events(10, 10).splitlines()], indent=1)
    table = "name,ts,subject,app\r\nperm_flow_start,2026-11-20T10:00:00Z,c,cleaner\r\n"
    zips = {
        "many": zipped([
            ("a.ndjson", events(0, 10)), ("d/b.json", array), ("c.csv", table), ("readme.txt", "hello"), ("d/", ""),
            ("named-otherwise.gz", gzip.compress(events(20, 5))), ("__MACOSX/._a.ndjson", b"\0\1"), (".hidden.json", "x"),
            ("data.bin", b" \n" + events(30, 2)), ("\u00fcml\u00e4ut.json", events(40, 1)), ("../../up.json", events(50, 1)),
            ("/absolute.json", events(51, 1))]),
        "stored": zipped([("a.json", events(0, 10))], zipfile.ZIP_STORED),
        "streamed": streamed([("a.json", events(0, 10)), ("b.json", events(10, 10))]),
        "zip64": zip64("a.json", events(0, 10)),
        "nested": zipped([("inner.zip", inner), ("z.json", events(400, 1))]),
        "third": zipped([("two.zip", zipped([("inner.zip", inner)])), ("z.json", events(400, 1))]),
        "brokeninner": zipped([("inner.zip", inner[:-30]), ("z.json", events(400, 1))]),
        "empty": zipped([]),
        "nothing": zipped([("readme.txt", "x"), ("d/", "")]),
        "bzip2": zipped([("a.json", events(0, 10)), ("b.json", events(10, 1))], zipfile.ZIP_BZIP2),
        "method": patched(three, 8, "<H", lambda method: 77),
        "encrypted": patched(three, 6, "<H", lambda flags: flags | 1),
        "checksum": patched(three, 14, "<L", lambda crc: crc ^ 1),
        "longer": patched(three, 22, "<L", lambda size: size + 1000),
        "shorter": patched(three, 22, "<L", lambda size: 5),
        "corrupt": three[:200] + bytes(byte ^ 0xFF for byte in three[200:210]) + three[210:],
        "cut": three[:three.index(b"b.json") + 50],
        "nodirectory": three[:three.index(b"PK\1\2") + 30],
        "overlapping": overlapping(20),
        "hostile": zipped([("a\x1b[31m\nb.json", b"x\n")]),
        "longname": zipped([("n" * 5000 + ".json", events(0, 1)), ("b.json", events(1, 1))]),
    }
    central = bytearray(three)
    struct.pack_into("<L", central, central.index(b"PK\1\2") + 24, 5)
    zips["contradicting"] = bytes(central)
    for name, data in zips.items():
        with open(os.path.join(folder, name + ".zip"), "wb") as file:
            file.write(data)


main(sys.argv[1])
