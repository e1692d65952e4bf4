"""Further questions for DuckDB, from the table that duckdb_answers.py loads (pip install duckdb).

    duckdb_questions.py DB times|trend|compare|steps|groups|outcomes|access|"one rule"|trace SUBJECT

Each but the last two is one query over the best chain of every subject: the anchor that gets furthest, the earliest of several, and the times of its
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


def outcomes(con):
    """The last of the outcome events after the anchor."""
    names = ["perm_healthkit_granted", "perm_healthkit_denied"]
    rows = con.execute(
        f"{chains()}, e AS (SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, name FROM events WHERE name IN ('{names[0]}', '{names[1]}')) "
        f", last AS (SELECT s, max_by(name, t) name FROM e JOIN best USING (s) WHERE t >= t1 AND t <= t1+{WINDOW_MS} GROUP BY 1) "
        "SELECT name, count(*) FROM last GROUP BY 1").fetchall()
    counts = dict(rows)
    print(*[counts.get(name, 0) for name in names])


def access(con):
    """The last answer in the window that opens with the first pre-prompt, of those who entered."""
    numbers = [con.execute(f"{chains()} SELECT count(*) FROM best").fetchone()[0]]
    for permission in ("notifications", "location"):
        name = f"perm_{permission}_"
        numbers += con.execute(
            f"{chains()}, e AS (SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, name FROM events WHERE name LIKE '{name}%')"
            f", p AS (SELECT s, min(t) t0 FROM e WHERE name='{name}pre_prompt_shown' GROUP BY 1)"
            f", last AS (SELECT s, max_by(name, t) name FROM e JOIN p USING (s) "
            f"WHERE name IN ('{name}granted', '{name}denied') AND t >= t0 AND t <= t0+{WINDOW_MS} GROUP BY 1) "
            f"SELECT count(*) FILTER (last.name='{name}granted'), count(*) FILTER (last.name='{name}denied') "
            "FROM best JOIN last USING (s)").fetchone()
    print(*numbers)


def one_rule(con):
    """The subjects with an answer to the system's dialog, and those of them with no earlier pre-prompt."""
    numbers = []
    for permission in ("notifications", "location", "healthkit"):
        name = f"perm_{permission}_"
        numbers += con.execute(
            f"WITH firsts AS (SELECT hash(subject) s, min(ts) FILTER (name='{name}pre_prompt_shown') asked, "
            f"min(ts) FILTER (name IN ('{name}granted', '{name}denied')) answered FROM events WHERE name LIKE '{name}%' GROUP BY 1) "
            "SELECT count(answered), count(*) FILTER (answered < coalesce(asked, TIMESTAMP '9999-01-01')) FROM firsts").fetchone()
    print(*numbers)


def trace(con):
    print(len(con.execute("SELECT * FROM events WHERE subject=? ORDER BY ts, id", [sys.argv[3]]).fetchall()))


con = duckdb.connect(sys.argv[1], read_only=True)
con.execute("SET threads=2")
{"times": times, "trend": trend, "compare": compare, "steps": steps, "groups": groups, "outcomes": outcomes, "access": access,
 "one rule": one_rule, "trace": trace}[sys.argv[2]](con)
