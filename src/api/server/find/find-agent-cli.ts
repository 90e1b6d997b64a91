import { AppError } from '../../../domain/errors'
import type { AgentName } from '../../../domain/ids'
import type { Context } from '../context'

/** Which agent CLIs there are the registry knows, and no schema. @throws `invalid` */
export function checkAgentCli(given: AgentName | undefined, { services }: Context): void {
  const names = services.agentLines.clis().map(({ name }) => name)
  if (given === undefined || names.includes(given)) return
  const problem = `must be one of ${names.join(', ')}`
  throw new AppError('invalid', `Query parameter "agent" ${problem}.`, {
    details: { issues: [{ field: 'query "agent"', problem }] },
  })
}
