import type { SettingsListener } from '../config/live'
import type { Logger } from '../util/log'

/** Logs the effect of a change in a settings file. */
export const logSettingsChanges = (log: Logger): SettingsListener => ({
  changed: (keys) => log.info('applied new settings', { keys }),
  waiting: (keys) => log.warn(`new settings take effect after a restart of this process: ${keys.join(', ')}`),
  broken: (problems) =>
    log.warn(`the settings can't be read, so the old ones remain in effect: ${problems[0] ?? ''}`, { problems }),
})
