import FunnelModel

extension Phrase {
  /// The phrase as text without emphasis. An asterisk marks a share of few groups.
  var plainText: String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words, _): text += words
      case .share(let share, let groups, _): text += HumanNumbers.percent(share) + (groups < fewGroupsMax ? "*" : "")
      case .interval(let rate):
        let (low, high) = HumanNumbers.interval(rate)
        text += "\(low)–\(high) %"
      case .arrow: text += "→"
      case .segment(let values):
        text += values.map { $0 == .null ? "(none)" : $0.segmentLabel }.joined(separator: " · ")
      case .absent: text += "–"
      case .sparkline(let values, let open):
        text += Glyphs.unicode.sparkline(values).text + String(repeating: "·", count: open)
      }
    }
  }
}
