extension BuiltInMapping {
  /// The events of OpenPanel: <https://github.com/Openpanel-dev/openpanel>, `packages/db/code-migrations`.
  ///
  /// The mapping names no format, so it reads CSV and JSON.
  static let openpanel = BuiltInMapping(
    name: "openpanel",
    table: "events",
    summary: "OpenPanel: a screen_view is step_viewed with the path as its step, other events keep their names",
    export: [
      "ClickHouse: SELECT * FROM events WHERE project_id = 'PROJECT' FORMAT JSONEachRow (or CSVWithNames, with --from csv)",
      "times without an offset are in UTC: add --source-tz UTC",
      "properties of your own: copy the mapping and add them to \"props\", such as \"plan\": \"properties.plan\"",
    ],
    json: """
      {
        "subject": ["device_id", "profile_id"],
        "user": "profile_id",
        "id": "id",
        "ts": "created_at",
        "name": "name",
        "props": {"path": "path", "referrer": "referrer_name", "origin": "origin", "duration": "duration"},
        "ctx": {"os": "os", "os_version": "os_version", "device": "model", "country": "country"},
        "events": {
          "screen_view": {"name": "step_viewed", "step": "$path"}
        },
        "other_events": "keep"
      }

      """)
}
