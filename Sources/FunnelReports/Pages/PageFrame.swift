/// The parts of a page outside its reports.
struct PageFrame {
  /// The title of the page, or `nil` for the name of the flow.
  var title: String?
  /// The content of the header, above the reports.
  var lead: HTMLText = ""
  /// The content below the reports.
  var tail: HTMLText = ""
  /// A chart after ``main``. It is ignored if the reports are shown.
  var chart: Chart?
  /// The content that replaces the reports, or `nil` to show the reports.
  var main: HTMLText?
  /// The source of an optional script. It is not escaped.
  var script = ""
}
