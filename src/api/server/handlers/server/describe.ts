import { openapi } from '../../../contract/operations/server'
import { handle } from '../../handler'

/** The document is loaded with the first request: it makes every schema of the contract. */
export const describeApi = handle(openapi, async (_call, { version }) =>
  (await import('../../openapi')).openApiDocument(version),
)
