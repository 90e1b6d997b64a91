import type { HarnessLive } from '../../../domain/harness/harness-live'
import { liveSessions } from './live-sessions'
import { permissionModes } from './permission-mode'
import { sendToSocket } from './socket'

/** How conversations of Claude Code that nobody of ours runs are found and reached. */
export const claudeCodeLive: HarnessLive = { sessions: liveSessions, permissionModes, send: sendToSocket }
