"""Further questions for DuckDB, from the table that duckdb_answers.py loads (pip install duckdb).

    duckdb_questions.py DB times|trend|compare|steps|groups|trace

Each is one query over the best chain of every subject: the anchor that gets furthest, the earliest of several, and the times of its
matches. Prints numbers that funnel's answer to the same question has too.
"""
import sys
import duckdb

STEPS = ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"]
LAST = len(STEPS)
WINDOW_MS = 7 * 86_400_000
NUMBER = "(CASE step " + " ".join(f"WHEN '{step}' THEN {index + 1}" for index, step in enumerate(STEPS)) + " END)::TINYINT"


def chains():
    """The best chain of each subject, as the table best: s, t1 to t6 (null where not reached), level."""
    text = f"WITH v AS (SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, {NUMBER} k FROM events WHERE name='step_viewed')"
    text += ", f1 AS (SELECT DISTINCT s, t t0, t tk FROM v WHERE k=1)"
    for k in range(2, LAST + 1):
        text += (f", f{k} AS (SELECT f.s, f.t0, min(v.t) tk FROM f{k-1} f JOIN v ON v.s=f.s AND v.k={k} AND v.t>=f.tk "
                 f"AND v.t<=f.t0+{WINDOW_MS} GROUP BY 1,2)")
    joins = " ".join(f"LEFT JOIN f{k} ON f{k}.s=f1.s AND f{k}.t0=f1.t0" for k in range(2, LAST + 1))
    level = " + ".join(f"(f{k}.tk IS NOT NULL)::INT" for k in range(1, LAST + 1))
    times = ", ".join(f"f{k}.tk t{k}" for k in range(1, LAST + 1))
    text += (f", best AS MATERIALIZED (SELECT f1.s s, {times}, {level} AS level FROM f1 {joins} "
             f"QUALIFY row_number() OVER (PARTITION BY f1.s ORDER BY level DESC, f1.t0) = 1)")
    return text


def times(con):
    spans = ", ".join(f"count(t{k}), quantile_disc(t{k}-t{k-1}, [0.1, 0.5, 0.9, 0.99])" for k in range(2, LAST + 1))
    row = con.execute(f"{chains()} SELECT {spans}, count(t{LAST}), avg(t{LAST}-t1) FROM best").fetchone()
    print(*row[0:2 * LAST - 2:2], row[-2], round(row[-1]))


def trend(con):
    rows = con.execute(f"{chains()} SELECT (t1 // 86400000) d, count(*), count(t{LAST}) FROM best GROUP BY 1 ORDER BY 1").fetchall()
    print(*[number for _, entered, completed in rows for number in (entered, completed)])


def compare(con):
    columns = ", ".join(f"count(t{k})" for k in range(1, LAST + 1))
    rows = con.execute(f"{chains()}, variants AS (SELECT hash(subject) s, min(variant) variant FROM events GROUP BY 1) "
                       f"SELECT variant, {columns} FROM best JOIN variants USING (s) WHERE variant IN ('A','B') GROUP BY 1 ORDER BY 1").fetchall()
    print(*[number for row in rows for number in row[1:]])


def steps(con):
    cases = " ".join(f"WHEN {k} THEN e.t >= t{k} AND e.t <= coalesce({f't{k+1}' if k < LAST else 'NULL'}, t1+{WINDOW_MS})"
                     for k in range(1, LAST + 1))
    rows = con.execute(
        f"{chains()}, e AS (SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, {NUMBER} k, duration_ms FROM events WHERE name='step_completed') "
        f"SELECT k, count(DISTINCT s), avg(duration_ms) FROM e JOIN best USING (s) WHERE e.k IS NOT NULL AND CASE e.k {cases} END "
        "GROUP BY 1 ORDER BY 1").fetchall()
    print(*[row[1] for row in rows])


def groups(con):
    query = f"{chains()} SELECT count(*) FROM (SELECT DISTINCT s FROM best WHERE level=3)"
    print(*con.execute(query).fetchone())


def trace(con):
    subject = con.execute("SELECT min(subject) FROM events").fetchone()[0]
    print(len(con.execute("SELECT * FROM events WHERE subject=? ORDER BY ts, id", [subject]).fetchall()))


con = duckdb.connect(sys.argv[1], read_only=True)
con.execute("SET threads=2")
{"times": times, "trend": trend, "compare": compare, "steps": steps, "groups": groups, "trace": trace}[sys.argv[2]](con)
