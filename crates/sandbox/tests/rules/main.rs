//! One test for every rule of the sandbox, over real HTTP, with a merchant that shares no code with it.

#[cfg(test)]
mod bills;
#[cfg(test)]
mod buyer;
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod close_and_cancel;
#[cfg(test)]
mod control;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod merchant;
#[cfg(test)]
mod notices;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod payment_code;
#[cfg(test)]
mod refunds;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod wire;
