"""The same three answers from ClickHouse in process, for the data of generate.c (pip install chdb).

    clickhouse_answers.py cold DIR       straight from DIR/*/*.gz, one scan, windowFunnel
    clickhouse_answers.py load DIR PATH  into a MergeTree ordered by (subject, ts)
    clickhouse_answers.py warm PATH      from that table, a new process
"""
import sys
from chdb import session

STEPS = ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"]
PERMISSIONS = ["notifications", "location", "healthkit"]
WINDOW_MS = 7 * 86_400_000
SETTINGS = ("SETTINGS max_threads=2, date_time_input_format='best_effort', input_format_skip_unknown_fields=1, "
            "input_format_json_ignore_unknown_keys_in_named_tuple=1, input_format_json_defaults_for_missing_elements_in_named_tuple=1")


def answers(s, table):
    level = f"windowFunnel({WINDOW_MS})(toUInt64(toUnixTimestamp64Milli(ts))," + ",".join(f"name='step_viewed' AND step='{x}'" for x in STEPS) + ") l"
    seen = [f"max(name='step_viewed' AND step='{x}') v{i}" for i, x in enumerate(STEPS)]
    asked = [f"max(name='perm_{p}_{a}') {p}_{a}" for p in PERMISSIONS for a in ("pre_prompt_shown", "granted", "denied")]
    q = ("SELECT " + ",".join([f"countIf(l>={k})" for k in range(1, 7)] + [f"sum({p}_{a})" for p in PERMISSIONS for a in ("pre_prompt_shown", "granted", "denied")]
                              + [f"sum(v{i})" for i in range(6)])
         + f" FROM (SELECT {level}," + ",".join(seen + asked) + f" FROM {table} WHERE name='step_viewed' OR startsWith(name,'perm_') GROUP BY subject) {SETTINGS}")
    row = str(s.query(q, "TSV")).split()
    print("funnel", *row[:6])
    for i, p in enumerate(PERMISSIONS): print("grants", p, *row[6 + 3*i:9 + 3*i])
    print("steps", *row[15:])


mode, source = sys.argv[1], sys.argv[2]
s = session.Session(sys.argv[3] if mode == "load" else source) if mode != "cold" else session.Session()
low = "LowCardinality(String)"
if mode == "cold":
    columns = f"name {low}, ts DateTime64(3,\\'UTC\\'), subject String, step {low}"
    answers(s, f"(SELECT name, ts, subject, step FROM file('{source}/*/*.gz','JSONEachRow','{columns}','gzip'))")
elif mode == "load":
    s.query("CREATE DATABASE IF NOT EXISTS d ENGINE=Atomic")
    flat = f"v UInt8,id UUID,ts DateTime64(3,'UTC'),name {low},app {low},flow {low},flow_version UInt16,subject String,attempt {low},step {low}"
    s.query(f"CREATE TABLE d.e ({flat},duration_ms UInt32,app_version {low},os {low},locale {low},variant {low}) ENGINE=MergeTree ORDER BY (subject,ts)")
    columns = (flat + f",props Tuple(duration_ms UInt32),ctx Tuple(app_version {low},os {low},locale {low},variant {low})").replace("'", "\\'")
    s.query("INSERT INTO d.e SELECT v,id,ts,name,app,flow,flow_version,subject,attempt,step,props.duration_ms,ctx.app_version,ctx.os,ctx.locale,ctx.variant "
            f"FROM file('{source}/*/*.gz','JSONEachRow','{columns}','gzip') {SETTINGS}")
else:
    answers(s, "d.e")
