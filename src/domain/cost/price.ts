import { type ModelUsage, usdOfNano } from './usage'

/** Day on which the prices below stood on Anthropic's public price list (platform.claude.com, "Models & pricing"). */
export const PRICES_AS_OF = '2026-10-16'

/** US dollars per million tokens. */
interface Price {
  input: number
  output: number
  /** What reading from the prompt cache costs, as a part of `input`. */
  cacheReadFactor: number
}

const CACHE_WRITE_5M_FACTOR = 1.25
const CACHE_WRITE_1H_FACTOR = 2
const WEB_SEARCH_USD = 10 / 1_000

const price = (input: number, output: number, cacheReadFactor = 0.1): Price => ({ input, output, cacheReadFactor })

/**
 * List prices by model, without date, platform or context window in the name.
 *
 * The costs that the CLI itself states in its recordings solve to the same input and output prices for opus-5-5
 * (1,100 in + 220 out = $0.0088; 195,400 in + 100 out = $0.7836), opus-4-8, sonnet-4-5 and haiku-4-5.
 *
 * Left out, so that their cost is marked as an estimate: haiku-5-5, whose price depends on the length of each prompt, and models
 * that were never on the list. The bare names `opus`, `sonnet` and `haiku` mean another model each year: they have no price at all.
 * Not in here: the higher price of prompts over 200,000 tokens that Sonnet 4 and 4.5 had with the long window, discounts for
 * batches, and lower or higher prices that a model had before this day.
 */
const PRICES: ReadonlyMap<string, Price> = new Map([
  ['claude-fable-5-1', price(10, 50, 0.025)],
  ['claude-fable-5', price(10, 50)],
  ['claude-opus-5-5', price(4, 20, 0.05)],
  ['claude-opus-5', price(5, 25)],
  ['claude-opus-4-8', price(5, 25)],
  ['claude-opus-4-7', price(5, 25)],
  ['claude-opus-4-6', price(5, 25)],
  ['claude-opus-4-5', price(5, 25)],
  ['claude-opus-4-1', price(15, 75)],
  ['claude-opus-4', price(15, 75)],
  ['claude-3-opus', price(15, 75)],
  ['claude-sonnet-5-5', price(2, 10, 0.05)],
  ['claude-sonnet-5', price(2, 10)],
  ['claude-sonnet-4-6', price(3, 15)],
  ['claude-sonnet-4-5', price(3, 15)],
  ['claude-sonnet-4', price(3, 15)],
  ['claude-3-7-sonnet', price(3, 15)],
  ['claude-3-5-sonnet', price(3, 15)],
  ['claude-haiku-4-5', price(1, 5)],
  ['claude-3-5-haiku', price(0.8, 4)],
  // As OpenAI's pages name them. Left out: models whose price depends on the length of each prompt, and newer ones.
  ['gpt-5.3-codex', price(1.75, 14)],
  ['gpt-5.2-codex', price(1.75, 14)],
  ['gpt-5.2', price(1.75, 14)],
  ['gpt-5.1', price(1.25, 10)],
  ['gpt-5-codex', price(1.25, 10)],
  ['gpt-5', price(1.25, 10)],
  ['gpt-5-mini', price(0.25, 2)],
  // As Google's page of the Gemini API names them. The price of the pro models depends on the length of each prompt.
  ['gemini-3-flash-preview', price(0.5, 3)],
  ['gemini-2.5-flash', price(0.3, 2.5)],
  ['gemini-2.5-flash-lite', price(0.1, 0.4)],
])

/** The cost of usage. Wherever it is shown, show also whether it is an estimate. */
export interface Cost {
  /** US dollars by list prices, without what has no price; `null` = something was used, and nothing of it has a price. */
  costUsd: number | null
  /**
   * Not exactly what the list says: a part is counted at the price of another version of the model's family, or has no price and is
   * left out. `false` where `costUsd` is `null`.
   */
  isEstimate: boolean
}

/** Of nothing used. */
export const NO_COST: Readonly<Cost> = Object.freeze({ costUsd: 0, isEstimate: false })
/** Of what has no price. */
export const UNKNOWN_COST: Readonly<Cost> = Object.freeze({ costUsd: null, isEstimate: false })

/** The cost alone of what has one; of what is not there it is not known. */
export const costIn = (cost: Cost | null | undefined): Cost =>
  cost ? { costUsd: cost.costUsd, isEstimate: cost.isEstimate } : { ...UNKNOWN_COST }

/** Both together. What costs nothing changes nothing, so that the order in which several are added does not matter. */
export function addCosts(a: Cost, b: Cost): Cost {
  const costUsd = (a.costUsd ?? 0) + (b.costUsd ?? 0)
  const isUnpriced = a.costUsd === null || b.costUsd === null
  if (isUnpriced && costUsd === 0) return { ...UNKNOWN_COST }
  return { costUsd, isEstimate: isUnpriced || a.isEstimate || b.isEstimate }
}

/**
 * What the usage of one model costs: by list price; else what the agent CLI states; else, for a model of a family that is on the list (opus,
 * sonnet, haiku, fable), what the nearest version of its family costs, the newer of two, which is an estimate.
 * `cacheCreation1hTokens` is taken as a part of `cacheCreationTokens`; what is over it counts at the hour's price alone.
 */
export function costOf(usage: ModelUsage): Cost {
  const known = priceOf(usage.model)
  if (known) return { costUsd: costAt(known, usage), isEstimate: false }
  if (usage.statedNanoUsd > 0) return { costUsd: usdOfNano(usage.statedNanoUsd), isEstimate: false }
  const near = nearestOf(usage.model)
  return near === undefined ? { ...UNKNOWN_COST } : { costUsd: costAt(near, usage), isEstimate: true }
}

/** Whether the cost of this usage is the agent CLI's own word. */
export const isStatedCost = (usage: ModelUsage): boolean =>
  usage.statedNanoUsd > 0 && priceOf(usage.model) === undefined

function costAt(known: Price, usage: ModelUsage): number {
  const written1h = usage.cacheCreation1hTokens
  const written5m = Math.max(0, usage.cacheCreationTokens - written1h)
  const inputTokens =
    usage.inputTokens +
    usage.cacheReadTokens * known.cacheReadFactor +
    written5m * CACHE_WRITE_5M_FACTOR +
    written1h * CACHE_WRITE_1H_FACTOR
  return (
    (inputTokens * known.input + usage.outputTokens * known.output) / 1_000_000 + usage.webSearchCount * WEB_SEARCH_USD
  )
}

/** `claude-opus-4-8` and `claude-3-5-haiku`: family and version, whatever follows. */
function versionOf(name: string): { family: string; version: number } | null {
  const found = /^claude-(?:([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?|(\d{1,2})(?:-(\d{1,2}))?-([a-z]+))(?![a-z0-9])/.exec(name)
  if (found === null) return null
  const [, before, major, minor, olderMajor, olderMinor, after] = found
  return {
    family: before ?? after ?? '',
    version: Number(major ?? olderMajor) + Number(minor ?? olderMinor ?? 0) / 100,
  }
}

const VERSIONS = [...PRICES].flatMap(([name, price]) => {
  const version = versionOf(name)
  return version === null ? [] : [{ ...version, price }]
})

function nearestOf(model: string): Price | undefined {
  const wanted = versionOf(nameOf(model))
  if (wanted === null) return undefined
  const family = VERSIONS.filter((one) => one.family === wanted.family)
  const distance = ({ version }: { version: number }) => Math.abs(version - wanted.version)
  family.sort((a, b) => distance(a) - distance(b) || b.version - a.version)
  return family[0]?.price
}

/** Prices by names as they were recorded: a tree of 5,000 agents names the same model 5,000 times. */
const found = new Map<string, Price | undefined>()
/** Names are strangers' words. */
const MAX_FOUND = 1_000

function priceOf(model: string): Price | undefined {
  if (found.has(model)) return found.get(model)
  const known = PRICES.get(nameOf(model))
  if (found.size < MAX_FOUND && model.length <= 200) found.set(model, known)
  return known
}

/**
 * The model's name on the price list: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929` and
 * `claude-sonnet-4-5[1m]` are one model.
 */
function nameOf(model: string): string {
  if (model.length > 200) return ''
  return model
    .toLowerCase()
    .replace(/\[1m\]$/, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic[./]/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@](?:20\d{6}|latest)$/, '')
    .replace(/^(claude-(?:opus|sonnet)-4)-0$/, '$1')
}
