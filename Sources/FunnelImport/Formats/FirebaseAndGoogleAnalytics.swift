import FunnelModel

extension FormatLayout {
  /// The rows of the BigQuery export of Google Analytics 4, and so of Firebase.
  ///
  /// A row has no ID, so one is derived from its values. The daily table has values that the intraday table lacks.
  static let ga4 = FormatLayout(
    subject: ["user_pseudo_id", "user_id"],
    user: UserRule(accounts: ["user_id"]),
    stamps: RecordStamps(
      [
        "is_active_user", "collected_traffic_source", "session_traffic_source_last_click", "privacy_info", "user_ltv",
        "event_server_timestamp_offset",
      ], prefix: "batch_", sortsPairs: true),
    timestamp: ["event_timestamp"],
    sequence: ("event_bundle_sequence_id", "batch_event_index"),
    timeNotation: .microseconds,
    name: .first(["event_name"]),
    properties: ["event_params"],
    context: [
      ("app_version", ["app_info.version"]), ("os", ["device.operating_system"]),
      ("os_version", ["device.operating_system_version"]),
      ("device", ["device.mobile_model_name", "device.mobile_os_hardware_model"]), ("locale", ["device.language"]),
      ("country", ["geo.country"]),
    ],
    personal: [
      "device.vendor_id", "device.advertising_id", "geo.city", "geo.region", "geo.metro", "geo.continent", "geo.sub_continent",
      "user_properties",
    ])
}
