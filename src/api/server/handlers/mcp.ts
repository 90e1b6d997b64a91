import { AppError } from '../../../domain/errors'
import type { Call } from '../handler'

/** Answers the Model Context Protocol: all methods of `/mcp`. */
export const mcp = (_call: Call<'mcp.send' | 'mcp.listen' | 'mcp.end'>): Response => {
  throw new AppError('unavailable', '/mcp is not served yet')
}
