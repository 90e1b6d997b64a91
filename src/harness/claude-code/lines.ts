import { eachLine as eachLineOf, type LineSink, type RecordLook } from '../json-lines/each-line'
import type { JsonRecord } from '../json-lines/json-value'
import { isLineType } from './kinds'

/** Keys with which the CLI begins its lines. */
const FIRST_KEYS = new Set(
  'parentUuid type isSidechain uuid sessionId session_id timestamp logicalParentUuid message leafUuid agentId cwd duration_api_ms subtype is_error'.split(
    ' ',
  ),
)
/** Values of a leading `type` that only occur inside of lines, so often that trying each would spend all attempts. */
const INNER_TYPES = new Set(
  'text tool_use tool_result thinking redacted_thinking image document base64 message ephemeral string object array server_tool_use'.split(
    ' ',
  ),
)

/** Lines of Claude Code. */
const LOOK: RecordLook = {
  begins(line, at) {
    const [key, value] = line
      .toString('latin1', at + 2, Math.min(line.length, at + 64))
      .split('"', 3)
      .filter((part) => part.trim() !== ':')
    if (key === undefined || !FIRST_KEYS.has(key)) return false
    return key !== 'type' || !INNER_TYPES.has(value ?? '')
  },
  /** A line of the CLI is of a type that it writes, or names its session or its own id. */
  isPlausible(record: JsonRecord) {
    if (typeof record.type !== 'string') return false
    if (isLineType(record.type)) return true
    return [record.uuid, record.sessionId, record.session_id].some((id) => typeof id === 'string')
  },
}

/** As `json-lines/each-line.ts`, for lines of Claude Code. */
export const eachLine = (bytes: Uint8Array, sink: LineSink): number => eachLineOf(bytes, LOOK, sink)
