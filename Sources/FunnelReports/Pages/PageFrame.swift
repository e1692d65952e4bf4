/// What stands around the reports of a page.
struct PageFrame {
  /// The title of the page; nil takes the name of the flow.
  var title: String?
  /// What stands above the reports, in the header.
  var lead: HTMLText = ""
  /// What stands below them.
  var tail: HTMLText = ""
  /// A chart at the end of ``main``.
  var chart: Chart?
  /// What stands in the place of the reports; nil shows them.
  var main: HTMLText?
  /// A script of this program's own, which a page works without.
  var script = ""
}
