"""Writes random tables with Python's csv module: N.csv, and in N.json what the module reads from it.

    python3 make_tables.py FOLDER COUNT
"""

import csv
import io
import json
import random
import sys

PIECES = ["", "a", "some text", '"', '""', ",", ";", "\t", "|", "\n", "\r\n", "\r", "é", "😀", " ", "\\", "{}", "null", "\x1b", "0.10"]


def text(random):
    return "".join(random.choice(PIECES) for _ in range(random.randint(0, 4)))


def table(random):
    columns = ["c%d%s" % (n, random.choice(["", " x", ".y", '"q"', "\nz"])) for n in range(random.randint(2, 6))]
    rows = [[text(random) for _ in columns] for _ in range(random.randint(0, 12))]
    out = io.StringIO(newline="")
    terminator = random.choice(["\n", "\r\n", "\r"])
    # The module quotes only those line breaks that its own are made of.
    quoting = random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]) if terminator == "\r\n" else csv.QUOTE_ALL
    writer = csv.writer(out, delimiter=random.choice(",;\t|"), lineterminator=terminator, quoting=quoting)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
    written = out.getvalue()
    if random.random() < 0.3:
        written = written.rstrip("\r\n")
    read = [row for row in csv.reader(io.StringIO(written, newline=""), writer.dialect)]
    assert read[0] == columns and len(read) == len(rows) + 1, (written, read)
    records = [{key: value for key, value in zip(columns, row) if value} for row in read[1:]]
    return ("\ufeff" if random.random() < 0.3 else "") + written, records


def main(folder, count):
    for seed in range(count):
        written, records = table(random.Random(seed))
        with open("%s/%d.csv" % (folder, seed), "w", encoding="utf-8", newline="") as file:
            file.write(written)
        with open("%s/%d.json" % (folder, seed), "w", encoding="utf-8") as file:
            json.dump(records, file)


main(sys.argv[1], int(sys.argv[2]))
