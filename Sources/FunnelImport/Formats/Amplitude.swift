import FunnelModel

extension FormatLayout {
  /// The export of Amplitude. `event_time` is in UTC without a zone, and already corrected for errors of the device's clock.
  static let amplitude = FormatLayout(
    subject: ["device_id", "user_id"],
    user: UserRule(accounts: ["user_id"]),
    identities: ["amplitude_id", "session_id"],
    id: .first(["$insert_id", "uuid"]),
    stamps: RecordStamps([
      "client_upload_time", "server_received_time", "server_upload_time", "processed_time", "data_type",
    ]),
    timestamp: ["event_time"],
    receipt: "server_received_time",
    timeNotation: .utcWithoutZone,
    name: .first(["event_type"]),
    properties: ["event_properties"],
    context: [
      ("app_version", ["version_name"]), ("os", ["os_name"]), ("os_version", ["os_version"]),
      ("device", ["device_model", "device_type"]), ("locale", ["language"]), ("country", ["country"]),
    ],
    personal: [
      "ip_address", "idfa", "idfv", "adid", "city", "region", "dma", "location_lat", "location_lng", "user_properties",
      "global_user_properties", "groups", "group_properties",
    ])
}
