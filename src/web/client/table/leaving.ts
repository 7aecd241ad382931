/** Whether the page is about to be left for another one by what the person does. */

let isLeaving = false;

/** True from the beginning of what ends with another page: what is told of it from elsewhere changes nothing then. */
export const isOnTheWay = (): boolean => isLeaving;

/** Does something, then goes to the address that it gives; stays where it throws. */
export async function leaveAfter(work: () => Promise<string>): Promise<void> {
  isLeaving = true;
  try {
    location.assign(await work());
  } catch (error) {
    isLeaving = false;
    throw error;
  }
}
