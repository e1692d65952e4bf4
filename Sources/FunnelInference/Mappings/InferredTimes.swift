import FunnelImport
import FunnelModel

/// The form of the times in a column, inferred from all its values.
enum InferredTimes: Hashable {
  /// The values are times that need no form.
  case plain
  /// All values have this form.
  case form(TimeForm)
  /// All values have each of these forms, which differ in the order of day and month.
  case ambiguous([TimeForm])

  /// Infers the form, or returns `nil` if the values are not times.
  ///
  /// - Parameter isTime: Returns whether a value is a time, given its form, or `nil` for no form.
  init?(
    of values: some Collection<String>, where isTime: (String, TimeForm?) -> Bool = { ImportedTime.isTime($0, form: $1) }
  ) {
    let counts = ValueCounts(values)
    guard !counts.isEmpty else { return nil }
    if counts.areNearlyAll({ isTime($0, nil) }) {
      self = .plain
      return
    }
    let tried = counts.sample(Self.triedMax)
    let fitting = Self.candidates.map { form in tried.count { isTime($0, form) } }
    let best = fitting.max() ?? 0
    guard let bestForm = zip(Self.candidates, fitting).first(where: { $0.1 == best })?.0,
      tried.areNearlyAll({ isTime($0, bestForm) })
    else { return nil }
    let forms = zip(Self.candidates, fitting).filter { $0.1 == best }.map(\.0)
    let first = forms[0]
    // A form with one digit for day and month also fits two, so only other orders are another meaning.
    let others = forms.dropFirst().filter { form in
      tried.values.contains { value in first.time(Array(value.utf8).span) != form.time(Array(value.utf8).span) }
    }
    self = others.isEmpty ? .form(first) : .ambiguous([first] + others.prefix(1))
  }

  /// The forms, or an empty array for times that need none.
  var forms: [TimeForm] {
    switch self {
    case .plain: []
    case .form(let form): [form]
    case .ambiguous(let forms): forms
    }
  }

  /// The number of values with which all forms are tried, evenly from all of them. Up to twice as many are used.
  private static let triedMax = 1000

  /// The forms that are tried, the stricter first.
  private static let candidates: [TimeForm] = {
    let dates = [
      "dd.MM.yyyy", "d.M.yyyy", "dd.MM.yy", "d.M.yy", "dd/MM/yyyy", "d/M/yyyy", "MM/dd/yyyy", "M/d/yyyy", "d/M/yy", "M/d/yy",
      "dd-MM-yyyy", "MM-dd-yyyy", "dd-MMM-yyyy", "d-MMM-yy", "d MMM yyyy", "dd MMM yyyy", "MMM d, yyyy", "MMM dd, yyyy",
      "d MMMM yyyy", "dd MMMM yyyy", "MMMM d, yyyy", "MMMM dd, yyyy", "yyyy MMM d", "yyyy MMMM d",
      "EEE, dd MMM yyyy", "EEE, d MMM yyyy", "EEE MMM dd yyyy", "yyyy/MM/dd", "yyyy/M/d", "yyyy.MM.dd", "yyyy-MM-dd",
      "yyyyMMdd",
    ]
    let times = [
      "", " HH:mm", " HH:mm:ss", " HH:mm:ss.SSS", " HH:mm:ss.SSSSSS", " H:mm", " H:mm:ss", " h:mm a", " hh:mm a", " h:mm:ss a",
      " hh:mm:ss a", ", HH:mm", ", HH:mm:ss", ", h:mm a", ", h:mm:ss a", "'T'HH:mm:ss", " HH:mm:ss z", " HH:mm:ss XXX",
      " HH:mm:ss.SSS z", ":HH:mm:ss", ":HH:mm", ":HH.mm", ":HH.mm.ss", " HH.mm", " HH.mm.ss", "-HH:mm:ss", "-HH.mm.ss",
    ]
    var texts = dates.flatMap { date in times.map { date + $0 } }
    texts += [
      "yyyyMMddHHmmss", "yyyyMMdd'T'HHmmss", "yyyyMMddHHmm", "dd/MMM/yyyy:HH:mm:ss", "dd/MMM/yyyy:HH:mm:ss Z",
      "[dd/MMM/yyyy:HH:mm:ss Z]",
    ]
    texts += ["EEE MMM dd HH:mm:ss yyyy", "EEE MMM dd HH:mm:ss z yyyy", "excel"]
    return texts.map { text in
      guard let form = try? TimeForm(text) else { preconditionFailure("\(text) is not a form of times") }
      return form
    }
  }()
}

/// The distinct values of a column, and how often each occurs.
struct ValueCounts {
  private var counts: [String: Int] = [:]

  /// The share of values that must satisfy a condition. The others are those of faulty records, such as `N/A`.
  private static let nearlyAll = 0.95

  /// Counts values.
  init(_ values: some Collection<String>) {
    for value in values { counts[value, default: 0] += 1 }
  }

  /// Whether there are no values.
  var isEmpty: Bool { counts.isEmpty }

  /// The distinct values, in no particular order.
  var values: some Collection<String> { counts.keys }

  /// Returns the number of values that satisfy a condition.
  func count(where condition: (String) -> Bool) -> Int { counts.reduce(0) { $0 + (condition($1.key) ? $1.value : 0) } }

  /// Returns whether there are values and nearly all of them satisfy a condition.
  func areNearlyAll(_ condition: (String) -> Bool) -> Bool {
    !isEmpty && Double(count(where: condition)) >= Self.nearlyAll * Double(counts.values.reduce(0, +))
  }

  /// Returns at least `count` of the distinct values, evenly from all of them, or all if there are fewer.
  func sample(_ count: Int) -> ValueCounts {
    let sorted = counts.keys.sorted()
    let step = max(sorted.count / count, 1)
    var sample = ValueCounts([])
    for index in stride(from: 0, to: sorted.count, by: step) { sample.counts[sorted[index]] = counts[sorted[index]] }
    return sample
  }
}
