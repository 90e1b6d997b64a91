import { join } from 'node:path'
import { escapeXml } from './escape-xml'
import { firstNumber } from './first-number'
import type { Command, ServicePlan, ServiceSpec } from './service-plan'

/** An agent of macOS' launchd, for the user's own sessions. */
export function launchdPlan({ kind, name, command, env, userHome, uid }: ServiceSpec): ServicePlan {
  const label = `dev.lodeline.${name}`
  const domain = `gui/${uid}`
  const call = (...words: string[]): Command => ['launchctl', ...words]
  const file = join(userHome, 'Library/LaunchAgents', `${label}.plist`)
  return {
    manager: 'launchd',
    file,
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      `  <key>Label</key><string>${escapeXml(label)}</string>`,
      '  <key>ProgramArguments</key>',
      '  <array>',
      ...command.map((word) => `    <string>${escapeXml(word)}</string>`),
      '  </array>',
      '  <key>EnvironmentVariables</key>',
      '  <dict>',
      ...Object.entries(env).map(
        ([key, value]) => `    <key>${escapeXml(key)}</key><string>${escapeXml(value)}</string>`,
      ),
      '  </dict>',
      '  <key>RunAtLoad</key><true/>',
      // A worker ends by itself, with 0, when it makes room for a new program.
      `  <key>KeepAlive</key>${kind === 'server' ? '<dict><key>SuccessfulExit</key><false/></dict>' : '<true/>'}`,
      '  <key>ThrottleInterval</key><integer>10</integer>',
      '  <key>ExitTimeOut</key><integer>60</integer>',
      // launchd rotates nothing. All that counts is in Lodeline's own log, which is rotated.
      '  <key>StandardOutPath</key><string>/dev/null</string>',
      '  <key>StandardErrorPath</key><string>/dev/null</string>',
      '</dict>',
      '</plist>',
      '',
    ].join('\n'),
    encoding: 'utf8',
    probe: call('print', domain),
    // launchd reads a definition once: what is loaded has to go first.
    load: [call('bootout', `${domain}/${label}`)],
    start: [call('bootstrap', domain, file)],
    isStartedOnce: true,
    restart: [call('kickstart', '-k', `${domain}/${label}`)],
    stop: [call('bootout', `${domain}/${label}`)],
    forget: [],
    ask: call('print', `${domain}/${label}`),
    pidOf: (printed) => firstNumber(/^\s*pid = (\d+)$/m, printed),
  }
}
