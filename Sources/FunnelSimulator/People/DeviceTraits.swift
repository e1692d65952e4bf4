/// The values of `ctx` that describe a device, with their weights. The weights are invented but plausible.
enum DeviceTraits {
  /// A release of the operating system.
  struct System {
    var name: String
    /// Whether access to contacts can be limited to some of them (iOS 18 and later).
    var sharesContactsInPart: Bool
  }

  /// The region of a device.
  struct Place {
    var locale: String
    var country: String
    /// The offset from UTC in minutes, positive to the east. Daylight saving time is ignored, because a log of one season does not
    /// need it.
    var offsetMinutes: Int64
  }

  static let systems = [
    System(name: "iOS 26.1", sharesContactsInPart: true),
    System(name: "iOS 26.0", sharesContactsInPart: true),
    System(name: "iOS 18.6", sharesContactsInPart: true),
    System(name: "iOS 18.5", sharesContactsInPart: true),
    System(name: "iOS 17.7", sharesContactsInPart: false),
    System(name: "iOS 16.7", sharesContactsInPart: false),
  ]
  static let systemWeights = [34, 20, 24, 10, 8, 4]

  static let devices: [String] = [
    "iPhone18,1", "iPhone17,3", "iPhone17,1", "iPhone16,2", "iPhone15,4", "iPhone14,5", "iPhone12,8", "iPad14,3",
  ]
  static let deviceWeights = [18, 20, 14, 14, 13, 11, 5, 5]

  static let places = [
    Place(locale: "en_US", country: "US", offsetMinutes: -300), Place(locale: "es_US", country: "US", offsetMinutes: -360),
    Place(locale: "en_GB", country: "GB", offsetMinutes: 0), Place(locale: "de_DE", country: "DE", offsetMinutes: 60),
    Place(locale: "fr_FR", country: "FR", offsetMinutes: 60), Place(locale: "es_ES", country: "ES", offsetMinutes: 60),
    Place(locale: "pt_BR", country: "BR", offsetMinutes: -180), Place(locale: "ja_JP", country: "JP", offsetMinutes: 540),
    Place(locale: "hi_IN", country: "IN", offsetMinutes: 330), Place(locale: "tr_TR", country: "TR", offsetMinutes: 180),
  ]
  static let placeWeights = [30, 5, 11, 13, 9, 6, 9, 8, 5, 4]
}
