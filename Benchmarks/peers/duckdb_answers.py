"""The same three answers from DuckDB, for the data of generate.c (pip install duckdb).

    duckdb_answers.py cold DIR        straight from DIR/*/*.gz, tuned: narrow columns, hashed ids, no insertion order
    duckdb_answers.py load DIR DB     into a table, all columns
    duckdb_answers.py warm DB         from that table, a new process

Prints the ordered funnel (7-day window from any entry of step 1, exact), grants per permission, subjects per step.
"""
import sys
import duckdb

STEPS = ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"]
PERMISSIONS = ["notifications", "location", "healthkit"]
ANSWERS = ["pre_prompt_shown", "granted", "denied"]
WINDOW_MS = 7 * 86_400_000
KIND = ("(CASE WHEN name='step_viewed' THEN CASE step " + " ".join(f"WHEN '{s}' THEN {i+1}" for i, s in enumerate(STEPS)) + " END ELSE CASE name "
        + " ".join(f"WHEN 'perm_{p}_{a}' THEN {11+3*i+j}" for i, p in enumerate(PERMISSIONS) for j, a in enumerate(ANSWERS)) + " END END)::TINYINT")


def answers(con, table):
    chain = "WITH f1 AS (SELECT s, t t0, t tk FROM {0} WHERE k=1)".format(table)
    for k in range(2, len(STEPS) + 1):
        chain += (f", f{k} AS (SELECT f.s, f.t0, min(v.t) tk FROM f{k-1} f JOIN {table} v ON v.s=f.s AND v.k={k} AND v.t>=f.tk "
                  f"AND v.t<=f.t0+{WINDOW_MS} GROUP BY 1,2)")
    counts = ", ".join(f"(SELECT count(DISTINCT s) FROM f{k})" for k in range(1, len(STEPS) + 1))
    print("funnel", *con.execute(f"{chain} SELECT {counts}").fetchone())
    for row in con.execute(f"SELECT (k-11)//3, count(DISTINCT s) FILTER ((k-11)%3=0), count(DISTINCT s) FILTER ((k-11)%3=1), "
                           f"count(DISTINCT s) FILTER ((k-11)%3=2) FROM {table} WHERE k>10 GROUP BY 1 ORDER BY 1").fetchall():
        print("grants", PERMISSIONS[row[0]], *row[1:])
    print("steps", *[n for _, n in con.execute(f"SELECT k, count(DISTINCT s) FROM {table} WHERE k<10 GROUP BY k ORDER BY k").fetchall()])


mode, source = sys.argv[1], sys.argv[2]
if mode == "cold":
    con = duckdb.connect()
    con.execute("SET threads=2"); con.execute("SET preserve_insertion_order=false")
    con.execute(f"CREATE TEMP TABLE e AS SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, {KIND} k FROM read_json('{source}/*/*.gz', "
                "format='newline_delimited', compression='gzip', columns={name:'VARCHAR', ts:'TIMESTAMP', subject:'VARCHAR', step:'VARCHAR'}) "
                "WHERE name='step_viewed' OR name LIKE 'perm\\_%' ESCAPE '\\'")
    answers(con, "e")
elif mode == "load":
    con = duckdb.connect(sys.argv[3]); con.execute("SET threads=2")
    con.execute("CREATE TABLE events AS SELECT v,id,ts,name,app,flow,flow_version,subject,attempt,step,props.duration_ms duration_ms,ctx.app_version app_version,"
                f"ctx.os os,ctx.locale locale,ctx.variant variant FROM read_json('{source}/*/*.gz', format='newline_delimited', compression='gzip', columns="
                "{v:'INT',id:'UUID',ts:'TIMESTAMP',name:'VARCHAR',app:'VARCHAR',flow:'VARCHAR',flow_version:'INT',subject:'VARCHAR',attempt:'VARCHAR',step:'VARCHAR',"
                "props:'STRUCT(duration_ms INT)',ctx:'STRUCT(app_version VARCHAR,os VARCHAR,locale VARCHAR,variant VARCHAR)'})")
else:
    con = duckdb.connect(source, read_only=True); con.execute("SET threads=2")
    con.execute(f"CREATE TEMP TABLE e AS SELECT hash(subject) s, epoch_ms(ts)::BIGINT t, {KIND} k FROM events WHERE name='step_viewed' OR name LIKE 'perm\\_%' ESCAPE '\\'")
    answers(con, "e")
