import { AppError } from '../errors'
import list from './prices.json' with { type: 'json' }
import { type ModelUsage, usdOfNano } from './usage'

/** US dollars per million tokens. */
export interface Price {
  input: number
  output: number
  /** Read from the prompt cache. Default: a tenth of `input`. */
  cacheRead?: number
  /** Written to the prompt cache to live for five minutes. Default: 1.25 times `input`. */
  cacheWrite5m?: number
  /** Written to it to live for an hour. Default: twice `input`. */
  cacheWrite1h?: number
}

/** Prices of a day, by the names of models without date, platform or context window. */
export interface PriceList {
  /** The day on which they stood on the makers' price lists: `2026-10-16`. */
  asOf: string
  models: Readonly<Record<string, Price>>
}

const CACHE_READ_FACTOR = 0.1
const CACHE_WRITE_5M_FACTOR = 1.25
const CACHE_WRITE_1H_FACTOR = 2
export const WEB_SEARCH_USD = 10 / 1_000

/**
 * List prices that come with the program: of Anthropic as platform.claude.com has them ("Models & pricing"), of OpenAI and Google as the
 * pages of their APIs do.
 *
 * The costs that the CLI itself states in its recordings solve to the same input and output prices for opus-5-5
 * (1,100 in + 220 out = $0.0088; 195,400 in + 100 out = $0.7836), opus-4-8, sonnet-4-5 and haiku-4-5.
 *
 * Left out, so that their cost is marked as an estimate: models whose price depends on the length of each prompt (haiku-5-5, OpenAI's newer
 * and Google's pro models), and models that were never on the list. The bare names `opus`, `sonnet` and `haiku` mean another model each
 * year: they have no price at all. Not in here: the higher price of prompts over 200,000 tokens that Sonnet 4 and 4.5 had with the long
 * window, discounts for batches, and lower or higher prices that a model had before this day.
 */
export const LISTED_PRICES: PriceList = list

const MOST_MODELS = 1_000
const MOST_USD = 100_000
const PARTS = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const satisfies (keyof Price)[]

/** A price list of a person's own. @throws `invalid` with the place that is wrong */
export function parsePriceList(value: unknown): PriceList {
  const { asOf, models } = isObject(value) ? value : {}
  if (typeof asOf !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(asOf))
    throw wrong('asOf', 'must be a day such as 2026-10-16')
  if (!isObject(models)) throw wrong('models', 'must hold a price for each model')
  const entries = Object.entries(models)
  if (entries.length > MOST_MODELS) throw wrong('models', `must be at most ${MOST_MODELS}`)
  for (const [name, price] of entries) {
    const at = `models.${name.slice(0, 100)}`
    if (!isObject(price)) throw wrong(at, 'must have `input` and `output`')
    for (const part of PARTS) {
      const usd = price[part]
      if (usd === undefined && part !== 'input' && part !== 'output') continue
      if (typeof usd !== 'number' || !(usd >= 0 && usd <= MOST_USD))
        throw wrong(`${at}.${part}`, 'must be US dollars per million tokens')
    }
  }
  return { asOf, models: models as PriceList['models'] }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const wrong = (field: string, problem: string): AppError =>
  new AppError('invalid', `In the price list \`${field}\` ${problem}.`, {
    hint: 'Write { "asOf": "2026-10-16", "models": { "some-model": { "input": 3, "output": 15 } } }.',
    details: { field },
  })

/** Prices by model, and those of families by version. */
class Prices {
  private readonly models: ReadonlyMap<string, Price>
  private readonly versions: { family: string; version: number; price: Price }[]
  /** By names as they were recorded: a tree of 5,000 agents names the same model 5,000 times. */
  private readonly found = new Map<string, Price | undefined>()

  /** @param lists  the later ones count */
  constructor(lists: readonly PriceList[]) {
    this.models = new Map(lists.flatMap(({ models }) => Object.entries(models)))
    this.versions = [...this.models].flatMap(([name, price]) => {
      const version = versionOf(name)
      return version === null ? [] : [{ ...version, price }]
    })
  }

  of(model: string): Price | undefined {
    if (this.found.has(model)) return this.found.get(model)
    const known = this.models.get(nameOf(model)) ?? this.models.get(model)
    if (this.found.size < MAX_FOUND && model.length <= 200) this.found.set(model, known)
    return known
  }

  nearestOf(model: string): Price | undefined {
    const wanted = versionOf(nameOf(model))
    if (wanted === null) return undefined
    const family = this.versions.filter((one) => one.family === wanted.family)
    const distance = ({ version }: { version: number }) => Math.abs(version - wanted.version)
    family.sort((a, b) => distance(a) - distance(b) || b.version - a.version)
    return family[0]?.price
  }
}

/** Names are strangers' words. */
const MAX_FOUND = 1_000

let lists: readonly PriceList[] = [LISTED_PRICES]
let prices = new Prices(lists)

/** All prices that count, as JSON. Two that are equal make equal costs. */
export const pricesInUse = (): string => JSON.stringify(lists)

/** A person's own prices count from now on before the listed ones, in this process or thread; `null` = none. Called when a database is opened. */
export function setOwnPrices(own: PriceList | null): void {
  lists = own === null ? [LISTED_PRICES] : [LISTED_PRICES, own]
  prices = new Prices(lists)
}

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

/** The price of no usage. */
export const NO_COST: Readonly<Cost> = Object.freeze({ costUsd: 0, isEstimate: false })
/** The price of what has no known price. */
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
  const rates = ratesOf(usage.model)
  if (usage.statedNanoUsd > 0 && rates?.isListed !== true)
    return { costUsd: usdOfNano(usage.statedNanoUsd), isEstimate: false }
  return rates === null ? { ...UNKNOWN_COST } : { costUsd: costAt(rates, usage), isEstimate: !rates.isListed }
}

/** What a model costs, in US dollars per million tokens. */
export interface Rates extends Required<Price> {
  /** It is on the price list itself; else this is what the nearest version of its family costs. */
  isListed: boolean
}

/** `null` = nobody knows. */
export function ratesOf(model: string): Rates | null {
  const known = prices.of(model)
  const price = known ?? prices.nearestOf(model)
  if (price === undefined) return null
  const { input, output, cacheRead = input * CACHE_READ_FACTOR } = price
  const { cacheWrite5m = input * CACHE_WRITE_5M_FACTOR, cacheWrite1h = input * CACHE_WRITE_1H_FACTOR } = price
  return { input, output, cacheRead, cacheWrite5m, cacheWrite1h, isListed: known !== undefined }
}

/** Whether the cost of this usage is the agent CLI's own word. */
export const isStatedCost = (usage: ModelUsage): boolean =>
  usage.statedNanoUsd > 0 && prices.of(usage.model) === undefined

function costAt(rates: Rates, usage: ModelUsage): number {
  const written1h = usage.cacheCreation1hTokens
  const written5m = Math.max(0, usage.cacheCreationTokens - written1h)
  const perMillion =
    usage.inputTokens * rates.input +
    usage.outputTokens * rates.output +
    usage.cacheReadTokens * rates.cacheRead +
    written5m * rates.cacheWrite5m +
    written1h * rates.cacheWrite1h
  return perMillion / 1_000_000 + usage.webSearchCount * WEB_SEARCH_USD
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
