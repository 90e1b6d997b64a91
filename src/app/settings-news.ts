import type { LiveNews } from '../config/live'
import type { Logger } from '../util/log'

/** Says in the log what became of a change in a settings file. */
export const settingsNews = (log: Logger): LiveNews => ({
  changed: (keys) => log.info('took over new settings', { keys }),
  waiting: (keys) => log.warn(`new settings count after a restart of this process: ${keys.join(', ')}`),
  broken: (problems) =>
    log.warn(`the settings can't be read, so the old ones stay: ${problems[0] ?? ''}`, { problems }),
})
