/// The step IDs that simulated events carry.
enum StepName: String {
  case allSet = "all_set"
  case welcome, auth
  case createEventType = "create_event_type"
  case logFirstEvent = "log_first_event"
  case permissions, finish
  case assessment
  case healthPermission = "health_permission"
  case appSelection = "app_selection"
  case importantPeople = "important_people"
  case homeBase = "home_base"
  case goalSetting = "goal_setting"
  case intentionBuilder = "intention_builder"
  case ready
  case categories
  case photoImport = "photo_import"
  case pinSetup = "pin_setup"
  case complete
  /// A screen that no version of any flow has.
  case tips

  /// The step as the source code of an app spells it, which its oldest builds log.
  var ownSpelling: String {
    switch self {
    case .photoImport: "photoImport"
    case .pinSetup: "pinSetup"
    default: rawValue
    }
  }
}
