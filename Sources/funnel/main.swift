import FunnelCommands

FunnelCommand.runAndExit()
