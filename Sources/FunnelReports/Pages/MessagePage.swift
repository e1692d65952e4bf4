/// The pages of a server without a report: a message, or a login form.
public enum MessagePage {
  /// Returns a page with a message.
  ///
  /// - Parameter askAnew: The percent-encoded path of a page where the options can be changed, or `nil` for no link.
  public static func message(title: String, _ text: String, askAnew: String? = nil) -> String {
    let link = askAnew.map { path -> HTMLText in "<a href=\"\(path)\">Change the options</a> · " } ?? ""
    return PageRenderer.page(
      title: title, main: "<section>\n<p>\(.isolated(text))</p>\n<p>" + link + "<a href=\"/\">All flows</a></p>\n</section>\n")
  }

  /// Returns the login form, which prompts for the access token.
  ///
  /// - Parameters:
  ///   - target: The percent-encoded path of the page to show after the login.
  ///   - isWrong: Whether a wrong token was given.
  public static func login(target: String, isWrong: Bool) -> String {
    let message: HTMLText = isWrong ? "<p class=\"warning\" role=\"alert\">Wrong token.</p>\n" : ""
    return PageRenderer.page(
      title: "Onboarding funnels",
      main: "<section>\n" + message
        + """
        <form method="post" action="/login" class="controls">
        <label>Token <input type="password" name="token" autocomplete="current-password" required="required"/></label>
        <input type="hidden" name="page" value="\(target)"/>
        <button type="submit">Open</button>
        </form>
        </section>

        """)
  }
}
