extension BuiltInMapping {
  /// The actions of Matomo: <https://developer.matomo.org/guides/database-schema>.
  ///
  /// The table refers to names in `log_action` and to visits in `log_visit`, so a query joins the three. It names an action:
  /// the action of an event, or else the type of the page's URL (1 a page, 2 an outlink, 3 a download) or a search.
  static let matomo = BuiltInMapping(
    name: "matomo",
    table: "log_link_visit_action",
    summary: "Matomo: a page view is step_viewed with the path as its step, an event has the name of its action",
    export: [
      "MySQL: mysql --batch matomo <actions.sql >actions.tsv, where actions.sql is:",
      "  SELECT a.idlink_va, HEX(a.idvisitor) AS idvisitor, COALESCE(v.user_id, '') AS user_id, CONCAT(a.server_time, 'Z') AS server_time,",
      "    CASE WHEN event.name IS NOT NULL THEN event.name WHEN page.type = 2 THEN 'outlink' WHEN page.type = 3 THEN 'download'",
      "      WHEN title.type = 8 THEN 'site_search' ELSE 'pageview' END AS action,",
      "    IF(page.name IS NULL, '', COALESCE(NULLIF(REGEXP_REPLACE(page.name, '^[^/]*|[?#].*$', ''), ''), '/')) AS path,",
      "    IF(event.name IS NULL, COALESCE(title.name, ''), '') AS title, COALESCE(category.name, '') AS category,",
      "    IF(event.name IS NULL, '', COALESCE(title.name, '')) AS label,",
      "    IF(event.name IS NULL, '', COALESCE(a.custom_float, '')) AS value, COALESCE(v.config_os, '') AS os,",
      "    COALESCE(v.config_os_version, '') AS os_version, COALESCE(v.config_device_model, '') AS device,",
      "    COALESCE(v.location_browser_lang, '') AS locale, COALESCE(v.location_country, '') AS country",
      "  FROM matomo_log_link_visit_action a JOIN matomo_log_visit v ON v.idvisit = a.idvisit",
      "    LEFT JOIN matomo_log_action page ON page.idaction = a.idaction_url",
      "    LEFT JOIN matomo_log_action title ON title.idaction = a.idaction_name",
      "    LEFT JOIN matomo_log_action event ON event.idaction = a.idaction_event_action",
      "    LEFT JOIN matomo_log_action category ON category.idaction = a.idaction_event_category",
      "  WHERE a.idsite = 1;",
    ],
    json: """
      {
        "from": "csv",
        "subject": "idvisitor",
        "user": "user_id",
        "id": "idlink_va",
        "ts": "server_time",
        "name": "action",
        "props": {"path": "path", "title": "title", "category": "category", "label": "label", "value": "value"},
        "ctx": {"os": "os", "os_version": "os_version", "device": "device", "locale": "locale", "country": "country"},
        "events": {
          "pageview": {"name": "step_viewed", "step": "$path"}
        },
        "other_events": "keep"
      }

      """)
}
