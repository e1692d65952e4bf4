import Foundation
import FunnelModel
import FunnelSchemas
import Testing

/// The keys that the built-in list rejects, and similar keys that may be logged.
@Suite struct PrivacyListTests {
  private func isPersonal(_ key: String) -> Bool { BuiltInSchemas.privacy.isPersonal(key: Array(key.utf8).span) }

  @Test func `each listed key is refused in any spelling, and in the plural`() {
    for key in BuiltInSchemas.privacy.keys.map(\.key) {
      let camel = key.split(separator: "_").enumerated().map {
        $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst()
      }.joined()
      for spelling in [
        key, key.uppercased(), key.replacing("_", with: "-"), key.replacing("_", with: ""), camel, key + "s", key + "_2",
      ] {
        #expect(isPersonal(spelling), "\(spelling)")
      }
    }
  }

  @Test func `a listed key has a reason, is listed once and is not held by another`() {
    let keys = BuiltInSchemas.privacy.keys
    for (index, key) in keys.enumerated() {
      #expect(!key.why.isEmpty)
      var others = keys
      others.remove(at: index)
      let isHeld = PrivacyRules(keys: others).isPersonal(key: Array(key.key.utf8).span)
      #expect(!isHeld || Self.deliberate.contains(key.key), "\(key.key)")
    }
  }

  @Test func `the library for apps has the same keys`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let library = tests.deletingLastPathComponent().appending(path: "Apps/FunnelEvents/Sources/FunnelEvents")
    let file = library.appending(path: "Privacy/PersonalKeyList.swift")
    let keys = try String(contentsOf: file, encoding: .utf8).matches(of: /(?m)^    "([^"]*)",$/).map { String($0.1) }
    #expect(keys == BuiltInSchemas.privacy.keys.map(\.key), "run .ci/write-privacy-list")
  }

  /// Keys that contain another listed key. They are listed because their spellings without separators were rejected before keys
  /// were matched by words.
  private static let deliberate: Set<String> = ["wifi_network_name", "credit_card_number"]

  @Test(arguments: [
    "currentSSID", "network_name", "homeNetworks", "pin", "pin_entered", "pileName", "album_name", "suggestedContactName",
    "homeNetworkSSIDs", "contactIdentifier", "SSIDs", "PINs", "wifiName", "wifi_ssid", "homeNetworkNames", "pinEntered",
    "pile_name",
    "albumTitle", "contact_name_2", "recipientPhoneNumber", "email_address_2", "userEmail", "homeNetwork", "current-ssid",
    "connectedWifiName", "socialSecurityNumber", "childName", "clientIPAddress", "GPSCoordinates", "personName",
  ])
  func `what the apps know of people and places is refused`(key: String) {
    #expect(isPersonal(key))
  }

  @Test(arguments: [
    "pin_set", "piles", "networks", "people", "wifi_gate", "manual_entry", "target_app", "duration_ms", "app_version",
    "trigger", "reason",
    "screen", "xp", "type", "layer", "method", "product", "progress", "permission", "os", "device", "locale", "country",
    "variant",
    "description", "zip", "shipping", "ship_count", "tip", "flat", "latency", "along", "spinner", "pinned", "pin_setup",
    "pinSetup",
    "pin_mismatch", "network", "network_type", "network_count", "contacts", "contact_count", "contacts_granted", "photo_count",
    "photos",
    "name", "app_name", "event_name", "screen_name", "category_name", "plan_name", "email_verified", "emailSent", "has_email",
    "phone_model", "iPhoneModel", "phoneModel", "address_book_size", "street_view", "home_base", "home_screen", "album_count",
    "albums",
    "pile_count", "piles_created", "location_accuracy", "location_granted", "ip_version", "telemetry", "hotel", "client",
    "identifier",
    "id", "session_id", "token_count", "password_length", "messages", "message_count", "message_id", "birth_year_shown",
    "first", "last",
    "full", "username_taken", "idfa_status", "ssid_count", "wifi", "wifi_enabled", "card", "card_index", "user_type",
  ])
  func `what comes near a listed key and names nobody passes`(key: String) {
    #expect(!isPersonal(key))
  }

  /// The list as it was before keys were matched by words: every key on it must still be rejected.
  @Test(arguments: [
    "email", "email_address", "user_email", "contact_email", "recipient_email", "phone", "phone_number", "user_phone",
    "mobile_number", "mobile_phone", "cell_phone", "telephone", "msisdn", "contact_phone", "recipient_phone", "contact_name",
    "contact_names", "contact_identifier", "contact_identifiers", "contact_id", "contact_ids", "recipient_name", "first_name",
    "middle_name", "last_name", "given_name", "family_name", "surname", "full_name", "real_name", "child_name", "username",
    "address",
    "home_address", "street_address", "postal_address", "address_line1", "address_line2", "street", "postal_code", "postcode",
    "zip_code",
    "latitude", "longitude", "lat", "lon", "lng", "location_lat", "location_lng", "coordinates", "gps", "geohash", "ssid",
    "bssid",
    "wifi_name", "wifi_network", "wifi_network_name", "wifi_ssid", "wifi_bssid", "ip", "ip_address", "client_ip", "user_ip",
    "remote_ip",
    "remote_addr", "x_forwarded_for", "ipv4", "ipv6", "mac_address", "idfa", "gaid", "aaid", "oaid", "advertising_id",
    "advertising_identifier", "imei", "meid", "udid", "device_serial", "imsi", "iccid", "date_of_birth", "birth_date",
    "birthday", "dob",
    "ssn", "social_security_number", "national_id", "passport_number", "tax_id", "drivers_license", "credit_card",
    "credit_card_number",
    "card_number", "cvv", "iban", "bank_account", "password", "passcode", "pin_code", "access_token", "auth_token",
    "refresh_token",
    "device_token", "push_token", "apns_token", "fcm_token", "message_body", "message_text",
  ])
  func `what was ever refused stays refused, run together too`(key: String) {
    for spelling in [key, key.uppercased(), key.replacing("_", with: "-"), key.replacing("_", with: "")] {
      #expect(isPersonal(spelling), "\(spelling)")
    }
  }
}
