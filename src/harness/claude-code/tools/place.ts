/** Where a tool call or its answer was seen. */
export interface ToolPlace {
  /** uuid of the line; `null` when a hook told of it. */
  uuid: string | null
  toolUseId: string
  /** The node that made the call; `null` = the main thread. */
  subagentId: string | null
  /** Milliseconds. */
  at: number | null
  /** The session in whose transcript it was seen; without, another source told of it. */
  sessionId?: string | null
}
