/// Texts that try to break the format in which they are printed.
enum HostileTexts {
  static let all: [String] =
    escapes + formulas + markup + directions + invisibles + separators + shapes

  private static let escapes = [
    "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://evil.example\u{1B}\\link", "\u{1B}[2J\u{1B}[H",
    "\u{9B}31m",
    "\u{90}q\u{9C}", "bell\u{7}", "back\u{8}\u{8}\u{8}", "del\u{7F}", "nul\u{0}end", "\u{1B}", "form\u{C}feed", "vt\u{B}",
    "\u{1B}P+q544e\u{1B}\\",
  ]
  private static let formulas = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "=HYPERLINK(\"http://evil.example\",\"x\")", "=cmd|'/C calc'!A0",
    " =1+1", "\u{FF1D}1", "\u{200B}=1", "\u{FEFF}=1", "\u{A0}-1", "'=1", "\"=1\"", "\u{FF20}x", ",=1", ";=1",
  ]
  private static let markup = [
    "a|b", "||", "\\|", "\\\\|", "`code`", "``", "<script>alert(1)</script>", "<b>", "<!-- x -->", "&lt;",
    "[x](http://evil.example)",
    "![x](http://evil.example/x.png)", "[x]: http://evil.example", "http://evil.example", "www.evil.example", "a@b.example",
    "@everyone",
    "#1", "*bold*", "__bold__", "~~x~~", "$x$", "# heading", "> quote", "- item", "1. item", "---", ":--", "\\", "{{x}}",
    "</td></tr></table>",
  ]
  private static let directions = [
    "\u{202E}gnp.exe", "\u{202A}x\u{202C}", "\u{202B}x", "\u{202D}x", "\u{2066}x\u{2069}", "\u{2067}x", "\u{2068}x",
    "\u{200E}x",
    "\u{200F}x", "\u{61C}x", "שלום", "مرحبا",
  ]
  private static let invisibles = [
    "\u{200B}", "a\u{200C}b", "a\u{200D}b", "a\u{2060}b", "\u{FEFF}", "soft\u{AD}hyphen", "\u{E0041}\u{E007F}", "\u{115F}",
    "\u{3164}",
    "\u{FE0F}", "\u{180E}x", "\u{FFF9}x", "\u{2028}", "\u{2029}x",
  ]
  private static let separators = [
    "line\nbreak", "cr\rx", "crlf\r\nx", "tab\tx", "\u{85}x", "\"quote\"", "a,b", "a;b", "\"", "\"\"", "",
  ]
  private static let shapes = [
    "家族の写真へのアクセスを許可する画面", "👨‍👩‍👧‍👦 family", "🇩🇪🇫🇷", "❤️", "👍🏽", "e\u{301}", "\u{301}x",
    "z" + String(repeating: "\u{36F}", count: 50), String(repeating: "long ", count: 60), "각", "　wide　", "null", "true",
    "\u{FFFE}",
    "\u{10FFFF}",
  ]
}
