import { amountInWords } from '../../domain/budget/budget'
import type { DiffRelation, SharedLines } from '../../domain/conversation/conversation'
import { plainWords } from '../../domain/plain-words'
import { findMasks } from '../../domain/secrets/find-masks'
import type { SecretMask } from '../../domain/secrets/mask'
import type { DocumentFormat } from '../../domain/session/document'
import { visibleText } from '../../domain/visible-text'
import { diffSessions } from '../conversation/diff-sessions'
import { collectTurns } from './collect-turns'
import { page, turnMarkup } from './html'
import { escapeLine, turnBlocks } from './markdown'
import { html } from './markup'
import { type DocumentSource, fileName, isAll, isToEnd, type MadeDocument } from './session-document'
import { factsOf, titleOf, type WrittenConversation } from './written'

type Side = WrittenConversation & { facts: [name: string, value: string][] }

interface WrittenComparison {
  relation: DiffRelation
  shared: SharedLines | null
  first: WrittenConversation
  second: WrittenConversation
}

/**
 * Two sessions as one file: the result of each, what they share, and how each went on. Secrets in it are masked for every reader.
 *
 * @param before  only what was said until then, in milliseconds; `null` = everything
 */
export async function makeComparison(
  [first, second]: readonly [DocumentSource, DocumentSource],
  mask: SecretMask,
  before: number | null,
  format: DocumentFormat,
): Promise<MadeDocument> {
  const { relation, shared } = await diffSessions(first.reads, first.session, second.session, 1)
  const sideOf = async ({ reads, session, shown, whole }: DocumentSource): Promise<WrittenConversation> => {
    const last = shared === null ? undefined : (await reads.findLine(session.key, shared.lastId))?.position
    const from = last === undefined ? undefined : { ...last, key: last.key + 1 }
    const range = { from, until: null, before }
    const collected = await collectTurns(reads, session, range, whole)
    // What both share is missing from the turns, and belongs to it all the same.
    const isWhole = (shared === null ? isAll : isToEnd)(range, collected, shown)
    return { session: shown, isWhole, ...collected }
  }
  const made: WrittenComparison = { relation, shared, first: await sideOf(first), second: await sideOf(second) }
  const written: WrittenComparison = JSON.parse(mask.text(JSON.stringify(made)))
  const sides = [written.first, written.second].map((side) => ({ ...side, facts: factsOfSide(side) }))
  const turns = sides.flatMap((side) => side.turns)
  return {
    name: `comparison-${fileName(written.first)}-${fileName(written.second)}.${format}`,
    text: format === 'html' ? asHtml(written, sides) : asMarkdown(written, sides),
    turns: turns.filter(({ number }) => number > 0).length,
    turnCount: written.first.turnCount + written.second.turnCount,
    masked: findMasks(turns.map((turn) => ({ turn: turn.number, text: JSON.stringify(turn) }))),
    isCut: written.first.isCut || written.second.isCut,
  }
}

function factsOfSide(side: WrittenConversation): Side['facts'] {
  const { lastWords, counts, costUsd, isEstimate } = side.session
  if (!side.isWhole) return factsOf(side)
  return [
    ...factsOf(side),
    ['Files changed', `${counts.filesChanged}`],
    ...(costUsd === null
      ? []
      : [['Cost', `${isEstimate ? 'about ' : ''}${amountInWords(costUsd, 'usd')}`] as [string, string]]),
    ...resultOf(lastWords),
  ]
}

const resultOf = (lastWords: string | null): Side['facts'] => {
  const words = visibleText(plainWords(lastWords ?? '')).trim()
  return words === '' ? [] : [['Result', words]]
}

function commonWords({ relation, shared }: WrittenComparison): string {
  const how = {
    from_first: 'The second goes on from the first.',
    to_first: 'The first goes on from the second.',
    same_origin: 'Both go on from one conversation.',
    unrelated: 'They have no common origin.',
  } as const satisfies Record<DiffRelation, string>
  const lines =
    shared === null
      ? ''
      : ` The ${shared.count === 1 ? 'common line is' : `${shared.count} common lines are`} left out.`
  return `${how[relation]}${lines}`
}

const titles = (sides: readonly Side[]): string => sides.map(titleOf).join(' and ')

const asHtml = (written: WrittenComparison, sides: readonly Side[]): string =>
  page(
    titles(sides),
    html`<h1>${titles(sides)}</h1>
<p class="note">${commonWords(written)}</p>
<div class="sides">${sides.map(
      (side) => html`<section><h2>${titleOf(side)}</h2>
<dl>${side.facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${side.turns.map(turnMarkup)}
${side.isCut ? html`<p class="note">The rest is left out: the document would have been too large.</p>` : ''}
</section>`,
    )}</div>`,
  )

function asMarkdown(written: WrittenComparison, sides: readonly Side[]): string {
  const blocks = [
    `# ${escapeLine(titles(sides))}`,
    commonWords(written),
    ...sides.flatMap((side) => [
      `## ${escapeLine(titleOf(side))}`,
      side.facts.map(([name, value]) => `- ${name}: ${escapeLine(value)}`).join('\n'),
      ...side.turns.flatMap((turn) => turnBlocks(turn, '###')),
      ...(side.isCut ? ['*The rest is left out: the document would have been too large.*'] : []),
    ]),
    '---',
    'Recorded by Lodeline. Secrets are masked where a form of them is known.',
  ]
  return `${blocks.join('\n\n')}\n`
}
