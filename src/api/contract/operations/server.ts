/** The server itself: its state, its import and rebuild, its description, hooks and MCP. */
import { AGENTS, EVERYONE, OPERATOR } from '../callers'
import { alone, type Fields, json, mcpAnswer, noun, progress } from '../operation'

/** A request or notification of a client, or its answer to one, by JSON-RPC. */
const mcpMessage = (f: Fields) =>
  f.looseObject({
    jsonrpc: f.literal('2.0'),
    id: f.optional(f.union([f.string(), f.number()])),
    method: f.optional(f.string()),
    params: f.optional(f.record(f.string(), f.unknown())),
  })

export const health = alone('health', {
  method: 'GET',
  path: '/api/health',
  access: 'public',
  summary: 'Check that the server is running; returns its version and uptime',
  answer: json((schemas) => schemas.Health),
})

export const ready = alone('ready', {
  method: 'GET',
  path: '/api/ready',
  access: 'public',
  summary: 'Check that the server can take requests now; 503 says why it cannot',
  answer: json((schemas) => schemas.Ready),
})

export const metrics = alone('metrics', {
  method: 'GET',
  path: '/api/metrics',
  access: OPERATOR,
  summary: 'Get figures of this server and the queue as OpenMetrics text, for Prometheus',
  answer: 'text',
})

export const status = alone('status', {
  method: 'GET',
  path: '/api/status',
  access: AGENTS,
  summary: 'Get sessions by status, the newest activity, the collector and storage',
  answer: json((schemas) => schemas.Status),
})

export const doctor = alone('doctor', {
  method: 'GET',
  path: '/api/doctor',
  access: OPERATOR,
  summary: 'Report unknown, malformed and missing data, with storage and collector details',
  answer: json((schemas) => schemas.Doctor),
})

export const retention = alone('retention', {
  method: 'GET',
  path: '/api/retention',
  access: OPERATOR,
  summary: 'Show which sessions are forgotten by age: by the setting, or if it were this many days',
  query: (f) =>
    f.strictObject({
      /** Instead of the setting. */
      days: f.optional(f.int().check(f.minimum(1), f.maximum(36_500))),
    }),
  answer: json((schemas) => schemas.Retention),
})

export const importPaths = alone('import', {
  method: 'POST',
  path: '/api/import',
  access: OPERATOR,
  summary: "Import files and folders of the server's host once",
  body: (f) =>
    f.strictObject({
      /** Absolute paths of files or folders on the server's host. */
      paths: f.array(f.text(4_096)).check(f.minLength(1), f.maxLength(1_000)),
    }),
  answer: progress((schemas) => schemas.ImportTotals),
})

export const rebuild = alone('rebuild', {
  method: 'POST',
  path: '/api/rebuild',
  access: OPERATOR,
  summary: 'Rebuild every projection from the journals',
  answer: progress((schemas) => schemas.RebuildTotals),
})

export const openapi = alone('openapi', {
  method: 'GET',
  path: '/api/openapi.json',
  access: EVERYONE,
  summary: 'Get this OpenAPI description',
  answer: json((schemas) => schemas.OpenApiDocument),
})

export const hooks = noun('hooks', {
  claudeCode: {
    method: 'POST',
    path: '/hooks/claude-code',
    access: OPERATOR,
    takes: 'handler',
    summary: 'Record a hook payload from Claude Code',
    ownBody: (f) => f.hookPayload(),
    ids: 'as given',
    answer: 'empty',
  },
})

export const mcp = noun('mcp', {
  send: {
    method: 'POST',
    path: '/mcp',
    access: EVERYONE,
    takes: 'handler',
    summary: 'Model Context Protocol: receive a client message',
    ownBody: mcpMessage,
    answer: mcpAnswer((schemas) => schemas.McpAnswer),
  },
  listen: {
    method: 'GET',
    path: '/mcp',
    access: EVERYONE,
    summary: 'Model Context Protocol: refused, since the server has no session to stream from',
    answer: 'refused',
  },
  end: {
    method: 'DELETE',
    path: '/mcp',
    access: EVERYONE,
    summary: 'Model Context Protocol: refused, since there is no session to end',
    answer: 'refused',
  },
})
