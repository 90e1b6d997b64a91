import type { Outgoing, SendSettings } from './outgoing'
import { runProgram } from './run-command'

/** PowerShell reads the texts from the environment's standard input: nothing of them is code. */
const WINDOWS_SCRIPT = `
$words = [Console]::In.ReadToEnd() | ConvertFrom-Json
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$lines = $xml.GetElementsByTagName('text')
[void]$lines[0].AppendChild($xml.CreateTextNode($words.title))
[void]$lines[1].AppendChild($xml.CreateTextNode($words.text))
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Lodeline').Show([Windows.UI.Notifications.ToastNotification]::new($xml))
`
/** The texts are arguments of the script, not part of it. */
const MAC_SCRIPT = 'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run'

/** Shows the notification on the screen of the machine where the server runs. */
export async function showOnDesktop({ title, text }: Outgoing, { signal }: SendSettings): Promise<string | null> {
  const words = desktopCommand(process.platform, title, text)
  try {
    return await runProgram(words, { input: JSON.stringify({ title, text }), signal })
  } catch (error) {
    return `${words[0]} could not be run: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The program that shows it, by operating system. */
export function desktopCommand(platform: NodeJS.Platform, title: string, text: string): string[] {
  if (platform === 'darwin') return ['osascript', '-e', MAC_SCRIPT, '--', title, text]
  if (platform === 'win32') return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_SCRIPT]
  // The body may hold markup there.
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return ['notify-send', '--app-name=Lodeline', '--', title, body]
}
