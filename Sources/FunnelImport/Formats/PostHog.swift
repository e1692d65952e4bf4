import FunnelModel

extension FormatLayout {
  /// The events of PostHog, as its API and its batch exports write them.
  static let posthog = FormatLayout(
    subject: ["properties.$device_id", "distinct_id"],
    user: UserRule(
      accounts: ["properties.$user_id"], distinct: (id: "distinct_id", device: "properties.$device_id"),
      identified: "properties.$is_identified"),
    links: [
      "$identify": LinkRule(subject: "properties.$anon_distinct_id", user: "distinct_id"),
      "$create_alias": LinkRule(subject: "properties.alias", user: "distinct_id"),
      "$merge_dangerously": LinkRule(subject: "properties.alias", user: "distinct_id"),
    ],
    identities: [
      "properties.distinct_id", "properties.$user_id", "properties.$anon_distinct_id", "properties.$session_id",
      "properties.$window_id", "person_id", "properties.$person_id", "id",
    ],
    id: .first(["uuid"]),
    stamps: RecordStamps(["sent_at", "created_at", "inserted_at", "_inserted_at"]),
    timestamp: ["timestamp"],
    name: .first(["event"]),
    properties: ["properties"],
    context: [
      ("app_version", ["properties.$app_version"]), ("app_build", ["properties.$app_build"]),
      ("os", ["properties.$os_name", "properties.$os"]), ("os_version", ["properties.$os_version"]),
      ("device", ["properties.$device_model", "properties.$device"]), ("locale", ["properties.$locale"]),
      ("country", ["properties.$geoip_country_code"]),
    ],
    personal: [
      "properties.$ip", "ip", "properties.$device_name", "properties.$advertising_id", "properties.$idfa", "properties.$idfv",
      "properties.$geoip_city_name", "properties.$geoip_city_confidence", "properties.$geoip_continent_code",
      "properties.$geoip_continent_name", "properties.$geoip_country_name", "properties.$geoip_latitude",
      "properties.$geoip_longitude", "properties.$geoip_accuracy_radius", "properties.$geoip_postal_code",
      "properties.$geoip_subdivision_1_code", "properties.$geoip_subdivision_1_name",
      "properties.$geoip_subdivision_2_code", "properties.$geoip_subdivision_2_name", "properties.$geoip_time_zone",
      "properties.$set", "properties.$set_once", "properties.$unset", "properties.$group_set", "properties.$groups", "person",
      "person_properties", "$set", "$set_once", "set", "set_once",
    ],
    structural: ["properties.token"])

  /// The subject, the accounts and the links of PostHog's events in a table, whose columns are named by the paths.
  static let posthogColumns: FormatLayout = {
    func column(_ path: ImportedPath) -> ImportedPath { ImportedPath(column: path.text) }
    var layout = FormatLayout()
    layout.subject = posthog.subject.map(column)
    layout.user = UserRule(
      accounts: posthog.user.accounts.map(column),
      distinct: posthog.user.distinct.map { (id: column($0.id), device: column($0.device)) },
      identified: posthog.user.identified.map(column))
    layout.links = posthog.links.mapValues { LinkRule(subject: $0.subject.map(column), user: column($0.user)) }
    return layout
  }()
}
