//! Devices: where memory is, by the numbers of DLPack.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};

/// A kind of device and which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    /// The kind, by its number in DLPack; 1 is the CPU.
    pub device_type: i32,
    /// Which of them, from 0.
    pub device_id: i32,
}

/// Names and numbers of DLPack 1.3.
const NAMES: &[(&str, i32)] = &[
    ("cpu", 1),
    ("cuda", 2),
    ("cuda_host", 3),
    ("opencl", 4),
    ("vulkan", 7),
    ("metal", 8),
    ("vpi", 9),
    ("rocm", 10),
    ("rocm_host", 11),
    ("ext_dev", 12),
    ("cuda_managed", 13),
    ("oneapi", 14),
    ("webgpu", 15),
    ("hexagon", 16),
    ("maia", 17),
    ("trn", 18),
];

impl Device {
    /// The processor's own memory.
    pub const CPU: Device = Device {
        device_type: 1,
        device_id: 0,
    };

    /// A device by name, such as `cpu` or `cuda:1`.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] for a name that is not known or a number that is none.
    pub fn new(name: &str) -> Result<Device> {
        let (kind, id) = name.split_once(':').unwrap_or((name, "0"));
        let wrong = |what: String| Error::new(ErrorKind::ValueError, what);
        let device_type = NAMES
            .iter()
            .find(|(known, _)| *known == kind)
            .map(|(_, number)| *number)
            .ok_or_else(|| wrong(format!("there is no device `{name}`")))?;
        let device_id = id
            .parse::<u32>()
            .ok()
            .and_then(|id| i32::try_from(id).ok())
            .ok_or_else(|| {
                wrong(format!(
                    "`{id}` in the device `{name}` is not a number of a device"
                ))
            })?;
        Ok(Device {
            device_type,
            device_id,
        })
    }

    /// Number of the kind.
    pub fn device_type(self) -> i32 {
        self.device_type
    }

    /// Which of them.
    pub fn device_id(self) -> i32 {
        self.device_id
    }

    /// The device as text.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// Name of the kind, if DLPack has one.
    pub fn kind_name(self) -> Option<&'static str> {
        NAMES
            .iter()
            .find(|(_, number)| *number == self.device_type)
            .map(|(name, _)| *name)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind_name() {
            Some(name) => write!(f, "{name}:{}", self.device_id),
            None => write!(f, "device {}:{}", self.device_type, self.device_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_its_device_belong_together() {
        for (name, number) in NAMES {
            let device = Device::new(&format!("{name}:3")).unwrap();
            assert_eq!((device.device_type, device.device_id), (*number, 3));
            assert_eq!(device.to_string(), format!("{name}:3"));
        }
        assert_eq!(Device::new("cpu").unwrap(), Device::CPU);
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999999"] {
            assert_eq!(
                Device::new(wrong).unwrap_err().kind(),
                ErrorKind::ValueError,
                "{wrong}"
            );
        }
    }
}
