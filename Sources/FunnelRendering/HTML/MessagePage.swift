/// The pages of a server without a report: a message, or a login form.
package enum MessagePage {
  /// Returns a page with a message.
  ///
  /// - Parameters:
  ///   - text: The message in the terms of the page.
  ///   - commandLine: The message of the command line, which follows as code, or `nil` if there is none.
  ///   - askAnew: The percent-encoded path of a page where the options can be changed, or `nil` for no link.
  package static func message(title: String, _ text: String, commandLine: String? = nil, askAnew: String? = nil) -> String {
    let section = HTMLElement("section", [:], .block) {
      HTMLElement("p", [:], .line) { .isolated(text) }
      if let commandLine { HTMLElement("p", [:], .line) { HTMLElement("code") { .isolated(commandLine) } } }
      HTMLElement("p", [:], .line) {
        if let askAnew {
          PageLink("Change the options", to: askAnew).html
          " · "
        }
        PageLink("All flows", to: "/").html
      }
    }
    return HTMLPage(title: "\(title)", main: section.html).rendered()
  }

  /// Returns the login form, which prompts for the access token.
  ///
  /// - Parameters:
  ///   - target: The percent-encoded path of the page to show after the login.
  ///   - isWrong: Whether a wrong token was given.
  package static func login(target: String, isWrong: Bool) -> String {
    let section = HTMLElement("section", [:], .block) {
      if isWrong { HTMLElement("p", ["class": "warning", "role": "alert"], .line) { "Wrong token." } }
      HTMLElement("form", ["method": "post", "action": "/login", "class": "controls"], .block) {
        HTMLElement("label", [:], .line) {
          "Token "
          HTMLElement(
            empty: "input",
            ["type": "password", "name": "token", "autocomplete": "current-password", "required": "required"])
        }
        HTMLElement(empty: "input", ["type": "hidden", "name": "page", "value": "\(target)"], .line)
        HTMLElement("button", ["type": "submit"], .line) { "Open" }
      }
    }
    return HTMLPage(title: "Onboarding funnels", main: section.html).rendered()
  }
}
