/** Whether a dialog is open, so that shortcuts of the page are off. */
export const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null
