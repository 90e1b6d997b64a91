/** The forms in which a conversation is given to people who have no Lodeline. */
export const DOCUMENT_FORMATS = ['html', 'md'] as const
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number]
