import FunnelModel

extension FormatLayout {
  /// The raw export of Mixpanel. Everything except the name is a property. An `$insert_id` is only unique together with the
  /// time.
  static let mixpanel = FormatLayout(
    subject: ["properties.$device_id", "properties.distinct_id"],
    user: UserRule(
      accounts: ["properties.$user_id"], distinct: (id: "properties.distinct_id", device: "properties.$device_id")),
    links: [
      "$identify": LinkRule(subject: "properties.$anon_id", user: "properties.$identified_id"),
      "$create_alias": LinkRule(subject: "properties.distinct_id", user: "properties.alias"),
      "$merge": LinkRule(subject: "properties.$distinct_ids.0", user: "properties.$distinct_ids.1"),
    ],
    identities: [
      "properties.$user_id", "properties.$distinct_id", "properties.$distinct_id_before_identity", "properties.$identified_id",
      "properties.$anon_id", "properties.$anon_distinct_id", "properties.$session_id",
      "properties.$distinct_ids.0", "properties.$distinct_ids.1",
    ],
    id: .joined([["properties.$insert_id"], ["properties.time"]], separator: ":"),
    stamps: RecordStamps(["mp_processing_time_ms"]),
    timestamp: ["properties.time"],
    receipt: "properties.mp_processing_time_ms",
    timeNotation: .unixSeconds,
    name: .first(["event"]),
    properties: ["properties"],
    context: [
      ("app_version", ["properties.$app_version_string", "properties.$app_release", "properties.$app_version"]),
      ("app_build", ["properties.$app_build_number"]), ("os", ["properties.$os"]), ("os_version", ["properties.$os_version"]),
      ("device", ["properties.$model", "properties.$device"]), ("locale", ["properties.$locale"]),
      ("country", ["properties.mp_country_code", "properties.$country_code"]),
    ],
    personal: [
      "properties.ip", "properties.$ip", "properties.$city", "properties.$region", "properties.$latitude",
      "properties.$longitude", "properties.$ios_ifa", "properties.$ios_ifv", "properties.$android_id",
      "properties.$google_play_advertising_id", "properties.$email", "properties.$name", "properties.$first_name",
      "properties.$last_name", "properties.$phone", "properties.$username", "properties.$device_name", "properties.$geo_source",
      "properties.$set", "properties.$set_once",
    ],
    structural: ["properties.token"])
}
