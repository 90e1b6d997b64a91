/** A tool of Lodeline, as MCP lists it. */
export interface ListedTool {
  name: string
  description?: string | undefined
  /** A JSON schema. */
  inputSchema: object
}
