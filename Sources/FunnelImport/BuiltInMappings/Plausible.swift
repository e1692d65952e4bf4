extension BuiltInMapping {
  /// The events of Plausible: <https://github.com/plausible/analytics>, `priv/ingest_repo/structure.sql`.
  ///
  /// A row has no ID, so one is derived from all of its values. Two equal rows of one second are one event.
  static let plausible = BuiltInMapping(
    name: "plausible",
    table: "events_v2",
    summary: "Plausible: a pageview is step_viewed with the path as its step, other events keep their names",
    export: [
      "ClickHouse: SELECT *, toJSONString(mapFromArrays(meta.key, meta.value)) AS meta FROM events_v2 WHERE site_id = 1 FORMAT CSVWithNames",
      "times without an offset are in UTC: add --source-tz UTC",
      "a visitor has another user_id every day: use --window 1d",
      "properties of your own: copy the mapping and add them to \"props\", such as \"plan\": \"meta.plan\"",
    ],
    json: """
      {
        "from": "csv",
        "subject": "user_id",
        "ts": "timestamp",
        "name": "name",
        "props": {"path": "pathname", "referrer": "referrer_source", "hostname": "hostname"},
        "ctx": {
          "os": "operating_system", "os_version": "operating_system_version", "device": "screen_size", "country": "country_code"
        },
        "events": {
          "pageview": {"name": "step_viewed", "step": "$pathname"},
          "engagement": null
        },
        "other_events": "keep"
      }

      """)
}
