import type { LaunchReads } from '../../domain/session/launch'
import { openHookReader } from './hook-reader'
import { unreadLaunches } from './launch-facts'

/** An agent is about to act. */
const BUSY_MS = 50

/** Opens the embedded database for the guard of launches. @throws as `openHookReader` */
export function openLaunchReader(path: string): LaunchReads & { close(): void } {
  const { drive, close } = openHookReader(path, BUSY_MS)
  return { unread: async (asked) => drive(unreadLaunches(asked)), close }
}
