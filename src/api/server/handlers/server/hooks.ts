import { AppError } from '../../../../domain/errors'
import { hooks } from '../../../contract/operations/server'
import { handle } from '../../handler'
import { parseJsonBytes, readJsonBytes } from '../../request/read-body'

/**
 * Keeps a hook payload and answers nothing. The payload is read here and not by the dispatcher: its limit is larger, and it is kept
 * as the bytes that came.
 *
 * Nothing means 204 and empty: whatever an answer to PreCompact holds, `{}` too, would be pasted into the compaction's prompt.
 */
export const claudeCodeHook = handle(hooks.claudeCode, async ({ request, headers }, { services, limits }) => {
  const bytes = await readJsonBytes(request, { maxBytes: limits.hookBodyBytes, timeoutMs: limits.bodyTimeoutMs })
  const payload = parseJsonBytes(bytes)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new AppError('invalid', 'A hook payload must be a JSON object.')
  }
  await services.recordHook(bytes)
  return new Response(null, { status: 204, headers })
})
