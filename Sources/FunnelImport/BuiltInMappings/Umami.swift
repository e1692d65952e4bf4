extension BuiltInMapping {
  /// The events of Umami: <https://github.com/umami-software/umami>, `db/clickhouse/schema.sql` and `prisma/schema.prisma`.
  ///
  /// `distinct_id` is the ID that a site gives to `umami.identify`. `event_name` is empty for a page view. Then the name is the number in `event_type`.
  static let umami = BuiltInMapping(
    name: "umami",
    table: "website_event",
    summary: "Umami: a page view is step_viewed with the path as its step, other events keep their names",
    export: [
      "ClickHouse: SELECT * FROM website_event FORMAT CSVWithNames",
      "PostgreSQL: \\copy (SELECT e.*, s.distinct_id, s.os, s.device, s.language, s.country FROM website_event e JOIN session s USING (session_id)) TO 'events.csv' CSV HEADER",
      "times without an offset are in UTC: add --source-tz UTC",
    ],
    json: """
      {
        "from": "csv",
        "subject": "session_id",
        "user": "distinct_id",
        "id": "event_id",
        "ts": "created_at",
        "name": ["event_name", "event_type"],
        "props": {"path": "url_path", "title": "page_title", "referrer": "referrer_domain", "hostname": "hostname", "tag": "tag"},
        "ctx": {"os": "os", "device": "device", "locale": "language", "country": "country"},
        "events": {
          "1": {"name": "step_viewed", "step": "$url_path"},
          "2": {"name": "custom_event"},
          "3": {"name": "link_opened"},
          "4": {"name": "pixel_loaded"},
          "5": null
        },
        "other_events": "keep"
      }

      """)
}
