/** Why no agent takes a task, for every place that shows it. The dashboard loads it, too. */
import { raiseCeilingHint } from '../permission-mode'

/** What keeps a task from those who could be asked, the first that a person would mend. Times in milliseconds. */
export type WhyNobody =
  | { is: 'away'; heardAt: number | null | undefined }
  | { is: 'lacking'; missing: readonly string[] }
  /** Each of it somebody has, and nobody all. */
  | { is: 'scattered'; needs: readonly string[] }
  /** @param highest  of those who have all; `null` = not known */
  | { is: 'above'; mode: string; highest: string | null }
  | { is: 'outside'; dir: string }
  | { is: 'draining' }
  | { is: 'limited'; account: string | null; until: number }

/** The candidates: one agent alone, or all that are online. */
export interface Asked {
  /** The only agent that may take it; `null` = any worker. */
  only: string | null
  /** How many could take it but for this reason, where that is known. */
  names?: readonly string[]
}

/** A need for one of these agent CLIs, beside those that are capabilities. */
export const cliNeed = (clis: readonly string[]): string => `the agent CLI ${clis.join(' or ')}`

/** Why none of them has all that is needed; `null` = one has. @param lacks  of each what it lacks */
export function whyNoneHas(needs: readonly string[], lacks: readonly (readonly string[])[]): WhyNobody | null {
  if (lacks.some(({ length }) => length === 0)) return null
  const missing = needs.filter((need) => lacks.every((each) => each.includes(need)))
  return missing.length > 0 ? { is: 'lacking', missing } : { is: 'scattered', needs }
}

/** As a person reads it: a clause, or with what to do a sentence behind it. */
export function whyNobodyInWords(why: WhyNobody, { only, names = [] }: Asked): string {
  const nobody = (does: string, doesNot: string): string =>
    only === null ? `no online worker ${does}` : `${only} ${doesNot}`
  switch (why.is) {
    case 'away':
      return only === null ? 'no worker is online' : `${only} is offline${seen(why.heardAt)}`
    case 'lacking':
      return nobody(`has ${why.missing.join(', ')}`, `lacks ${why.missing.join(', ')}`)
    case 'scattered':
      return nobody(`has all of ${why.needs.join(', ')}`, `does not have all of ${why.needs.join(', ')}`)
    case 'above': {
      const most = why.highest === null ? '' : `; the highest mode allowed is ${why.highest}`
      return `${nobody('may', 'may not')} run tasks with ${why.mode}${most}. ${raiseCeilingHint(why.mode)}`
    }
    case 'outside':
      return `${nobody('that may run it does so', 'does not run tasks')} in ${why.dir}. To let one do so, add the folder with 'lode config set worker.dirs' on its machine.`
    case 'draining': {
      const who = only === null ? names : [only]
      const name = who.length === 1 ? ` ${who[0]}` : ''
      const drains =
        who.length === 0
          ? 'every online worker drains and takes'
          : `${listed(who)} ${who.length > 1 ? 'drain and take' : 'drains and takes'}`
      return `${drains} no new tasks. To let ${name === '' ? 'one' : 'it'} take them again, run 'lode machine resume${name}'.`
    }
    case 'limited': {
      const whose =
        why.account === null ? `a usage limit on ${only ?? listed(names)}` : `the usage limit of ${why.account}`
      return `${whose}, until ${new Date(why.until).toISOString()}`
    }
  }
}

function seen(heardAt: number | null | undefined): string {
  if (heardAt === undefined) return ''
  return heardAt === null ? ', never seen' : `, last seen ${new Date(heardAt).toISOString()}`
}

/** Names that fit a line. */
function listed([first, second, ...more]: readonly string[]): string {
  return more.length > 0 ? `${first}, ${second} and ${more.length} more` : [first, second].filter(Boolean).join(' and ')
}
