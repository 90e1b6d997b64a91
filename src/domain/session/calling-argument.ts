/**
 * The argument by which our own plugin names the session that calls a tool of Lodeline's, for a CLI that starts one MCP server for all of
 * its sessions and says nothing of them. No tool has it among its own.
 */
export const CALLING_ARGUMENT = '_lodelineSession'
